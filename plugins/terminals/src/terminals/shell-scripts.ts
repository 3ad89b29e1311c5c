/**
 * What our shell integration puts into a shell, as files of its own beside the user's: each reads the user's first, changes
 * nothing in them, and then has the shell mark its prompt (OSC 133) with the nonce that it was started with.
 */
export const SHELL_FILES: Readonly<Record<string, string>> = {
  "bash.rc": String.raw`# Tells the terminal when this shell is at its prompt.
__gantry_nonce=${"${"}GANTRY_SHELL_NONCE-}
unset GANTRY_SHELL_NONCE
if [ -r ~/.bashrc ]; then . ~/.bashrc; fi
# Before 4.4 nothing tells that a command begins.
if [[ -n $__gantry_nonce ]] && (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )); then
  # Shells may refuse variables that are not set, at any time.
  __gantry_prompt() {
    # Some prompts are set again each time.
    if [[ ${"${"}PS1-} != *"133;B;gantry="* ]]; then PS1="${"${"}PS1-}\[\e]133;B;gantry=${"${"}__gantry_nonce-}\a\]"; fi
    if [[ ${"${"}PS0-} != *"133;C;gantry="* ]]; then PS0="${"${"}PS0-}\e]133;C;gantry=${"${"}__gantry_nonce-}\a"; fi
  }
  __gantry_command=$(declare -p PROMPT_COMMAND 2>/dev/null || :)
  # Some systems keep it as it is.
  if [[ $__gantry_command == "declare -"*([a-z])r* ]]; then
    :
  elif [[ $__gantry_command == "declare -a"* ]]; then
    PROMPT_COMMAND+=(__gantry_prompt)
  else
    PROMPT_COMMAND="${"${"}PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__gantry_prompt"
  fi
  unset __gantry_command
fi
`,
  "zsh/.zshenv": String.raw`# Reads the user's file, then has zsh come back for the next one of ours.
__gantry_folder=${"${"}ZDOTDIR-}
if [[ -n ${"${"}GANTRY_USER_ZDOTDIR-} ]]; then ZDOTDIR=$GANTRY_USER_ZDOTDIR; else unset ZDOTDIR; fi
unset GANTRY_USER_ZDOTDIR
if [[ -r ${"${"}ZDOTDIR:-$HOME}/.zshenv ]]; then source ${"${"}ZDOTDIR:-$HOME}/.zshenv; fi
__gantry_user_folder=${"${"}ZDOTDIR-}
ZDOTDIR=$__gantry_folder
`,
  "zsh/.zshrc": String.raw`# Tells the terminal when this shell is at its prompt.
__gantry_nonce=${"${"}GANTRY_SHELL_NONCE-}
unset GANTRY_SHELL_NONCE
if [[ -n ${"${"}__gantry_user_folder-} ]]; then ZDOTDIR=$__gantry_user_folder; else unset ZDOTDIR; fi
if [[ ${"${"}HISTFILE-} == ${"${"}__gantry_folder-}/* ]]; then HISTFILE=${"${"}ZDOTDIR:-$HOME}/.zsh_history; fi
unset __gantry_user_folder __gantry_folder
if [[ -r ${"${"}ZDOTDIR:-$HOME}/.zshrc ]]; then source ${"${"}ZDOTDIR:-$HOME}/.zshrc; fi
if [[ -n $__gantry_nonce ]]; then
  __gantry_precmd() {
    # Some prompts are set again each time.
    if [[ ${"${"}PS1-} != *"133;B;gantry="* ]]; then PS1="${"${"}PS1-}"$'%{\e]133;B;gantry='${"${"}__gantry_nonce-}$'\a%}'; fi
  }
  __gantry_preexec() { builtin printf '\e]133;C;gantry=%s\a' "${"${"}__gantry_nonce-}"; }
  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__gantry_precmd)
  preexec_functions+=(__gantry_preexec)
fi
`,
  "init.fish": String.raw`# Tells the terminal when this shell is at its prompt.
set -g __gantry_nonce $GANTRY_SHELL_NONCE
set -e GANTRY_SHELL_NONCE
if functions -q fish_prompt
    functions -c fish_prompt __gantry_user_prompt
    function fish_prompt
        __gantry_user_prompt
        printf '\e]133;B;gantry=%s\a' $__gantry_nonce
    end
    function __gantry_preexec --on-event fish_preexec
        printf '\e]133;C;gantry=%s\a' $__gantry_nonce
    end
end
`,
};
