import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  TERMINAL_NOT_FOUND: {
    status: 404,
    title: "No such terminal",
    detail: "There is no terminal {id}; list them with GET /api/terminals.",
  },
  TERMINAL_FOLDER_MISSING: {
    status: 400,
    title: "The folder is not there",
    detail:
      "{cwd} is not a folder that can be opened; give the absolute path of one that is there.",
  },
  TERMINAL_FOLDER_SILENT: {
    status: 504,
    title: "The folder does not answer",
    detail:
      "Nothing came from {cwd} in {seconds} s; it may be on a network disk that is away. Check the disk, or give another folder.",
  },
  TERMINAL_COMMAND_MISSING: {
    status: 400,
    title: "The command is missing",
    detail: "{reason}",
  },
  TERMINAL_NOT_STARTED: {
    status: 502,
    title: "The program did not start",
    detail: "{name} could not be started in a terminal: {reason}.",
  },
  TERMINAL_LIMIT: {
    status: 409,
    title: "Too many terminals",
    detail:
      "There are {most} terminals, which is the most that the settings allow; close one first.",
  },
  TERMINAL_BUSY: {
    status: 409,
    title: "The shell is not at its prompt",
    detail: 'Nothing was sent into "{name}": {reason}',
  },
  TERMINAL_KIND: {
    status: 409,
    title: "It does not go into this terminal",
    detail: 'Nothing was sent into "{name}": {reason}',
  },
  TERMINAL_EXITED: {
    status: 409,
    title: "The program has ended",
    detail:
      'Nothing was sent: the program in "{name}" has ended. Open a new terminal.',
  },
  TERMINAL_REPLACED: {
    status: 409,
    title: "Another program is in the terminal",
    detail:
      'Nothing was sent: what ran in "{name}" has ended or was replaced in the meantime.',
  },
  TERMINAL_TEXT_CONTROL: {
    status: 400,
    title: "The text has a control character",
    detail:
      "Nothing was sent: the text has the control character {character}, which a terminal would take for a key. {allowed}",
  },
  TERMINAL_INPUT_FULL: {
    status: 409,
    title: "The program does not read",
    detail:
      'Nothing was sent: the program in "{name}" has not read what it was sent before.',
  },
  TERMINAL_UNAVAILABLE: {
    status: 503,
    title: "There can be no terminals",
    detail: "Terminals cannot be used: {reason}",
  },
});
