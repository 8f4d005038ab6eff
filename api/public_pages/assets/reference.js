// Shows the OpenAPI document by Swagger UI. A request that is tried goes to this service and nowhere else, whatever
// address the document names; a key that is entered is kept nowhere.
const place = document.getElementById("reference");

function toThisService(request) {
  const { pathname, search } = new URL(request.url, location.href);
  request.url = location.origin + pathname + search;
  return request;
}

// What this page says itself (title, server) is left out, and so is a second landmark for the main content.
function operationsAlone({ React: { createElement } }) {
  const Operations = ({ getComponent, specSelectors }) => {
    const status = specSelectors.loadingStatus();
    if (status === "failed" || status === "failedConfig")
      return createElement("p", { role: "alert" }, "The OpenAPI document could not be loaded. Reload this page.");
    if (status !== "success") return createElement("p", { role: "status" }, "Loading the OpenAPI document …");
    const parts = ["SvgAssets", "errors", "AuthorizeBtnContainer", "operations"];
    return createElement(
      "div",
      { className: "swagger-ui" },
      parts.map((name) => createElement(getComponent(name, name !== "SvgAssets"), { key: name })),
    );
  };
  return { components: { OperationsAlone: Operations } };
}

// Names that readers of screens need and the renderer leaves out, one that is not the button's text, and the keyboard's
// way to long answers.
function nameParts() {
  for (const one of place.querySelectorAll("select:not([aria-label])"))
    one.setAttribute("aria-label", one.closest("[data-param-name]")?.dataset.paramName ?? "Example");
  for (const one of place.querySelectorAll("pre:not([tabindex])")) one.setAttribute("tabindex", "0");
  for (const one of place.querySelectorAll(".close-modal:not([aria-label])")) one.setAttribute("aria-label", "Close dialog");
  for (const one of place.querySelectorAll("button[aria-label='Apply credentials']")) one.removeAttribute("aria-label");
}

new MutationObserver(nameParts).observe(place, { childList: true, subtree: true });

function followColours(dark) {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
followColours(dark);
dark.addEventListener("change", followColours);

SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  layout: "OperationsAlone",
  plugins: [operationsAlone],
  defaultModelsExpandDepth: -1,
  docExpansion: "list",
  persistAuthorization: false,
  requestInterceptor: toThisService,
  syntaxHighlight: false,
  validatorUrl: null,
});
