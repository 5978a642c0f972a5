"""What the last commits changed, for tools/lint, tools/headers and tests/suites.py."""
import subprocess


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def before_the_last(commits):
    """The commit before the last so many; None where fewer are there."""
    return next(iter(lines_of("git", "rev-list", "-n", "1", "--skip", commits, "HEAD")), None)


def changed_since(base, pattern, *options):
    """Paths of the pattern that were changed since a commit, or that nobody has committed yet."""
    return {*lines_of("git", "diff", "--name-only", *options, base, "--", pattern),
            *lines_of("git", "ls-files", "--others", "--exclude-standard", "--", pattern)}
