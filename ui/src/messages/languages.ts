/** The words for a locale, of all languages that the package has; a page of one language imports that one alone. */
import { ENGLISH, type Messages } from "../messages.js";
import { FINNISH } from "./fi.js";
import { NORWEGIAN } from "./nb.js";
import { SWEDISH } from "./sv.js";

const LANGUAGES: Readonly<Record<string, Messages>> = {
  en: ENGLISH,
  sv: SWEDISH,
  nb: NORWEGIAN,
  nn: NORWEGIAN,
  no: NORWEGIAN,
  fi: FINNISH,
};

/** `locale`: a BCP 47 tag, as nb-NO. English where the language is none of the four. */
export function messagesFor(locale: string): Messages {
  const [language = ""] = locale.toLowerCase().split("-");
  return Object.hasOwn(LANGUAGES, language) ? (LANGUAGES[language] ?? ENGLISH) : ENGLISH;
}
