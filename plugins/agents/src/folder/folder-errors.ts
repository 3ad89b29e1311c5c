import type { ErrorDefinition } from "@gantry/plugin";

/** What operations on folders and repositories can refuse; a part of the plugin's table. */
export const folderErrors = {
  AGENT_FOLDER_GONE: {
    status: 404,
    title: "The folder is gone",
    detail:
      "The folder that this agent works in is not there any more; make it again, or give the agent another one.",
  },
  FOLDER_SILENT: {
    status: 504,
    title: "The folder does not answer",
    detail:
      'Nothing came from "{path}" in {seconds} s; it may be on a network disk that is away. What was to be written may still come to be. Check the disk, or give the agent another folder.',
  },
  PATH_OUTSIDE: {
    status: 403,
    title: "The path leads out of the folder",
    detail:
      '"{path}" leads out of the agent\'s folder; give a path below it, without "..".',
  },
  PATH_INVALID: {
    status: 400,
    title: "That is no path",
    detail:
      '"{path}" can be the path of no file: it is too long, has a NUL, or goes round in a circle of links.',
  },
  PATH_NOT_FOUND: {
    status: 404,
    title: "No such file",
    detail: 'There is no "{path}" in the agent\'s folder.',
  },
  PATH_PROTECTED: {
    status: 403,
    title: "The path is protected",
    detail:
      '"{path}" belongs to git, the daemon or the operating system; use their own tools for it.',
  },
  FOLDER_EXPECTED: {
    status: 400,
    title: "That is no folder",
    detail: '"{path}" is no folder; give the one that it is in.',
  },
  FILE_NOT_REGULAR: {
    status: 400,
    title: "That is no file",
    detail:
      '"{path}" is a folder, a pipe or a device; only plain files can be opened here.',
  },
  FILE_UNREADABLE: {
    status: 403,
    title: "The file cannot be read",
    detail:
      'The daemon is not allowed to read "{path}"; change its permissions.',
  },
  FILE_READ_ONLY: {
    status: 403,
    title: "The file is read-only",
    detail: '"{path}" is not to be written; change its permissions first.',
  },
  FILE_TOO_LARGE: {
    status: 413,
    title: "The file is too large",
    detail:
      '"{path}" is larger than {limit}; get it from /blob of the agent, in parts if need be.',
  },
  FILE_NOT_TEXT: {
    status: 415,
    title: "That is no text",
    detail:
      '"{path}" is no text in UTF-8; get its bytes from /blob of the agent.',
  },
  FILE_NOT_PICTURE: {
    status: 415,
    title: "That is no picture",
    detail:
      '"{path}" is no PNG, JPEG, GIF, WebP, AVIF or BMP; get its bytes from /blob of the agent.',
  },
  FILE_CHANGED: {
    status: 409,
    title: "The file has changed",
    detail:
      '"{path}" is not as it was read: something else has written, made or removed it; read it again.',
  },
  FILE_RANGE_INVALID: {
    status: 416,
    title: "There is no such part",
    detail: '"{path}" has {size} bytes and no such part.',
  },
  FILE_DISK_FULL: {
    status: 507,
    title: "The disk is full",
    detail:
      '"{path}" could not be written because the disk is full; it is as it was.',
  },
  FILE_DISK_FAULT: {
    status: 409,
    title: "The disk refused",
    detail:
      'The disk answered {code} for "{path}"; {state}. Try again, or look at it in a terminal.',
  },
  DROP_INVALID: {
    status: 400,
    title: "That is no attachment",
    detail: "The data is not base64 of at most 8 MB.",
  },
  REVISION_INVALID: {
    status: 400,
    title: "That is no revision",
    detail:
      '"{revision}" is neither the hash of a commit nor a name that git allows; write an odd branch as refs/heads/NAME.',
  },
  REVISION_NOT_FOUND: {
    status: 404,
    title: "No such revision",
    detail: 'There is no commit "{revision}" in this repository.',
  },
  GIT_CURSOR_INVALID: {
    status: 400,
    title: "Unknown cursor",
    detail: "The cursor is not one that this history gave; begin without one.",
  },
  GIT_FAILED: {
    status: 502,
    title: "git failed",
    detail:
      "git could not read the repository; try `git {command}` in its folder to see more. It said: {reason}",
  },
  GIT_OBJECT_MISSING: {
    status: 409,
    title: "Not in this clone",
    detail:
      "A part of the history that is needed for this is not in this clone, which is partial, shallow or damaged, and nothing is fetched from here. Run `git fetch` or `git show` in its folder to get it. git said: {reason}",
  },
  GIT_REPOSITORY_REFUSED: {
    status: 409,
    title: "The repository is not read",
    detail: "There is a repository, and it is not read. {reason}",
  },
  COMPOSE_INCOMPLETE: {
    status: 400,
    title: "Something is missing",
    detail: '"{action}" needs {field}; {reason}',
  },
  TOOL_FAILED: {
    status: 502,
    title: "A tool failed",
    detail: "{tool} failed; try it in a terminal to see why.",
  },
  TOOL_TIMEOUT: {
    status: 504,
    title: "A tool took too long",
    detail: "{tool} did not answer in {timeoutMs} ms; try again later.",
  },
} as const satisfies Record<string, ErrorDefinition>;
