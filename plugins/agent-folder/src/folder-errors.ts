import { defineErrors } from "@gantry/plugin";

/** Errors of paths below the folder of an agent. Plugins that open paths have them in their tables. */
export const folderErrors = defineErrors({
  AGENT_FOLDER_GONE: {
    status: 404,
    title: "The folder is gone",
    detail:
      "The folder that this agent works in is not there any more; make it again, or give the agent another one.",
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
  FILE_CHANGED: {
    status: 409,
    title: "The file has changed",
    detail:
      '"{path}" is not as it was read: something else has written, made or removed it; read it again.',
  },
  FILE_DISK_FULL: {
    status: 507,
    title: "The disk is full",
    detail:
      '"{path}" could not be written because the disk is full; it is as it was.',
  },
});
