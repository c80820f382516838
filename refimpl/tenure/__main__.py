"""The command line as a module: `python -I -m tenure` imports nothing from the user's folders."""

from tenure.cli import main

if __name__ == "__main__":
    main()
