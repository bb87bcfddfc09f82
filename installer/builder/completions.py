"""Shell completion for bash and zsh, from the words of the command line."""

from typing import Final

from installer.builder import words
from installer.builder.words import Option, Verb
from installer.manifest import COMPONENTS

_BASH: Final = """\
# bash completion for pharos-hpc: source it, or put it into /usr/share/bash-completion/completions
_pharos_hpc() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} verb= each
    for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $each in -*) ;; *) verb=$each; break ;; esac
    done
    case $verb in
{cases}        *) COMPREPLY=($(compgen -W "{general} {verbs}" -- "$word")) ;;
    esac
}}
complete -o default -F _pharos_hpc pharos-hpc
"""
_ZSH: Final = """\
#compdef pharos-hpc
_pharos_hpc() {{
    local context state line
    local -a verbs
    verbs=(
{verbs}    )
    _arguments -C {general} '1: :->verb' '*:: :->rest'
    case $state in
        verb) _describe command verbs ;;
        rest)
            case $words[1] in
{cases}            esac ;;
    esac
}}
_pharos_hpc "$@"
"""


def bash() -> bytes:
    """Return the completion for bash."""
    verbs = words.verbs()
    general = " ".join(_flags(words.general()))
    cases = "".join(
        f'        {verb.name}) COMPREPLY=($(compgen -W "{_answers(verb)}" -- "$word")) ;;\n' for verb in verbs
    )
    return _BASH.format(cases=cases, general=general, verbs=" ".join(verb.name for verb in verbs)).encode()


def zsh() -> bytes:
    """Return the completion for zsh."""
    verbs = words.verbs()
    general = " ".join(f"'{_zsh_option(option, flag)}'" for option in words.general() for flag in option.flags)
    listed = "".join(f"        '{verb.name}:{_quoted(verb.help)}'\n" for verb in verbs)
    cases = "".join(f"                {verb.name}) _arguments {_zsh_arguments(verb)} ;;\n" for verb in verbs)
    return _ZSH.format(verbs=listed, general=general, cases=cases).encode()


def _flags(options: tuple[Option, ...]) -> list[str]:
    return [flag for option in options for flag in option.flags]


def _answers(verb: Verb) -> str:
    choices = [each for option in verb.options for each in option.choices]
    return " ".join([*_flags(verb.options), *choices, *_operands(verb)])


def _operands(verb: Verb) -> tuple[str, ...]:
    return COMPONENTS if any(each.value == "COMPONENT" for each in verb.arguments) else ()


def _zsh_arguments(verb: Verb) -> str:
    options = [f"'{_zsh_option(option, flag)}'" for option in verb.options for flag in option.flags]
    operands = " ".join(_operands(verb))
    return " ".join([*options, f"'*: :({operands})'" if operands else "'*: :_files'"])


def _zsh_option(option: Option, flag: str) -> str:
    told = f"{flag}[{_quoted(option.help)}]"
    if not option.value:
        return told
    return f"{told}:{option.value}:({' '.join(option.choices)})" if option.choices else f"{told}:{option.value}:_files"


def _quoted(text: str) -> str:
    """Return text for a single-quoted specification of zsh's _arguments."""
    plain = text.replace("%%", "%")
    escaped = "".join(f"\\{each}" if each in "[]:\\" else each for each in plain)
    return escaped.replace("'", "'\\''")
