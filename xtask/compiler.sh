#!/bin/sh
# The compiler of the workspace's crates: cargo calls it with the path of rustc and its arguments.
#
# Clippy's compiler lints what it compiles. A crate with unit tests is compiled twice, with and without
# them, and linted once, with them; what only its tests use is a warning of the other, and an error.
# The unit tests of crates with `unsafe` are compiled by rustc, for clippy's compiler leaves out two
# checks: a null or misaligned pointer is no panic. They are linted apart.
set -eu

is_test=false
is_program=false
for argument; do
    case $argument in
    --test) is_test=true ;;
    src/main.rs | */src/main.rs) is_program=true ;;
    esac
done
is_library=false
case " $* " in *" --crate-type lib "*) is_library=true ;; esac

case ${CARGO_CRATE_NAME:-},$is_test in
loci_embed,true | loci_index,true)
    "$@"
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
    option=
    for argument; do
        shift
        case $option,$argument in
        --out-dir,*) argument=$folder ;;
        *,--emit=*) argument=--emit=metadata ;;
        esac
        option=$argument
        set -- "$@" "$argument"
    done
    clippy-driver "$@"
    ;;
*,true)
    exec clippy-driver "$@"
    ;;
*)
    if $is_library || $is_program; then
        exec "$@" -D warnings
    fi
    exec clippy-driver "$@"
    ;;
esac
