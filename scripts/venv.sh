# Makes .venv from requirements.lock: at first use, and again when the lock, the project's own
# metadata or the place of the tree has changed. Sourced by ./run and ./test, which set $root.
# A .venv made by hand is kept and completed. PYTHON=/path/to/python chooses the interpreter.

venv=$root/.venv
python=$venv/bin/python

say() {
    printf 'penstock: %s\n' "$*" >&2
}

give_up() {
    say "$@"
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    candidate=${PYTHON:-python3}
    found=$("$candidate" --version 2>/dev/null) || found="no $candidate"
    give_up "Python 3.11 or newer is needed, and here is $found. Install one, or name it: PYTHON=/path/to/python $0"
}

# Debian keeps the part of Python that makes virtual environments in a package of its own.
need_ensurepip() {
    "$1" -c 'import ensurepip' 2>/dev/null && return
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] ||
        give_up "$1 cannot make a virtual environment. Have root run 'apt-get install $package', then try again"
    say "installing $package, which makes virtual environments"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get install -qq "$package" || { apt-get update -qq && apt-get install -qq "$package"; }; } >/dev/null ||
        give_up "apt-get could not install $package"
}

make_venv() {
    base=$(find_python)
    need_ensurepip "$base"
    say "making .venv with $("$base" --version)"
    "$base" -m venv --clear "$venv"
}

install_locked() {
    say "installing what requirements.lock says into .venv"
    "$python" -m pip --version >/dev/null 2>&1 || "$python" -m ensurepip >/dev/null
    # -qq: a configured package location that happens to be absent is no news.
    # --no-compile: most of it is never imported, and what is, is compiled by the first who imports it.
    # --no-deps: the lock has everything, and nothing is left to resolve. pip would look further all the same: a
    # package that another wants with an extra is unpinned to it as soon as there is a newer release.
    set -- -m pip install -qq --disable-pip-version-check --no-compile --no-deps
    "$python" "$@" --require-hashes -r "$root/requirements.lock"
    "$python" "$@" --no-build-isolation -e "$root"
}

stamp="$(cat "$root/requirements.lock" "$root/pyproject.toml" | cksum) $root"
if ! is_new_enough "$python"; then
    make_venv
fi
if [ "$stamp" != "$(cat "$venv/penstock.stamp" 2>/dev/null)" ]; then
    install_locked
    printf '%s\n' "$stamp" >"$venv/penstock.stamp"
fi
# What is imported for the first time is to be compiled for good.
unset PYTHONDONTWRITEBYTECODE
