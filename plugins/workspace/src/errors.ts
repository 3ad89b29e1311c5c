import { folderErrors } from "@gantry/agent-folder";
import { defineErrors } from "@gantry/plugin";
import { agentErrors } from "@gantry/plugin-agents/contract";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  ...agentErrors.definitions,
  ...folderErrors.definitions,
  FILE_TOO_LARGE: {
    status: 413,
    title: "The file is too large",
    detail:
      '"{path}" is larger than {limit}; get it with GET /api/agents/{{id}}/blob, in parts if need be.',
  },
  FILE_NOT_TEXT: {
    status: 415,
    title: "That is no text",
    detail:
      '"{path}" is no text in UTF-8; get its bytes with GET /api/agents/{{id}}/blob.',
  },
  FILE_NOT_PICTURE: {
    status: 415,
    title: "That is no picture",
    detail:
      '"{path}" is no PNG, JPEG, GIF, WebP, AVIF or BMP; get its bytes with GET /api/agents/{{id}}/blob.',
  },
  FILE_RANGE_INVALID: {
    status: 416,
    title: "There is no such part",
    detail: '"{path}" has {size} bytes and no such part.',
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
      "git could not read the repository; try `git {command}` in its folder to see why.",
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
});
