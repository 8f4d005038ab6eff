"""`python -m firm` is `firm`."""

from firm.cli import main

if __name__ == "__main__":
    main()
