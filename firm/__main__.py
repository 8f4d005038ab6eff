"""Entry point of `python -m firm`."""

from firm.cli import main

if __name__ == "__main__":
    main()
