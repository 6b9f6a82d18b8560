"""`python -m devlint.verify SCRIPT [ARGS...]`."""

from devlint.verify.command import verify_command

if __name__ == "__main__":
    verify_command(prog_name="devlint verify")
