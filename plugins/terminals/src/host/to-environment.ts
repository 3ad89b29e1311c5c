/**
 * What is ours alone, or would make a program run code of ours. The mark by which the daemon finds all programs of this host is
 * inherited.
 */
const NEVER_INHERITED =
  /^(NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_FD|GANTRY_(?!DETACHED_TREE$).*|npm_.*|LD_PRELOAD|TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|VTE_VERSION|TERM_PROGRAM|TERM_PROGRAM_VERSION)$/;

/** The environment of a program in a terminal: that of the host without what is the daemon's, and what was asked for. */
export function toEnvironment(
  own: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && !NEVER_INHERITED.test(name))
      environment[name] = value;
  // Without any of these, programs would not know that the terminal shows more than ASCII.
  if (!environment.LC_ALL && !environment.LC_CTYPE && !environment.LANG)
    environment.LANG = "C.UTF-8";
  return {
    ...environment,
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    TERM_PROGRAM: "gantry",
    ...added,
  };
}
