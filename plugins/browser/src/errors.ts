import { defineErrors } from "@gantry/plugin";

/** Errors that the operations of this plugin return. */
export const errors = defineErrors({
  BROWSER_MISSING: {
    status: 503,
    title: "No browser was found",
    detail: "{hint}",
  },
  BROWSER_SANDBOX: {
    status: 503,
    title: "The browser has no sandbox here",
    detail: "The browser cannot protect this machine from pages: {reason}",
  },
  BROWSER_LIMIT: {
    status: 409,
    title: "Too many browsers are running",
    detail:
      "{limit} browsers are running and in use, which is the limit; close the tabs of one and try again.",
  },
  BROWSER_GONE: {
    status: 502,
    title: "The browser ended",
    detail: "The browser ended while it was in use. Open the page again.",
  },
  BROWSER_REFUSED: {
    status: 403,
    title: "The address may not be opened",
    detail: "This address is not opened: {reason}.",
  },
  BROWSER_AGENT_REFUSED: {
    status: 403,
    title: "The agent may not use a browser",
    detail:
      "The agent {id} may not use a browser; allow it on the page Agents, or with PUT /api/browser/policies/{id}.",
  },
  BROWSER_FAILED: {
    status: 502,
    title: "The browser failed",
    detail: "{reason}",
  },
  BROWSER_UNRESPONSIVE: {
    status: 504,
    title: "The browser does not respond",
    detail:
      "The browser did not answer for {seconds} seconds and was ended. Open the page again.",
  },
  BROWSER_PROFILE_IN_USE: {
    status: 409,
    title: "The profile is in use",
    detail:
      'Another browser uses the profile "{profile}": process {pid} on {host}. End it there; if it no longer runs, remove SingletonLock from the folder of the profile. Then try again.',
  },
  BROWSER_DISK_FULL: {
    status: 507,
    title: "The disk is full",
    detail:
      "The disk that holds the browser's profiles has {free} MB left, and a browser needs {needed} MB. Make room and try again.",
  },
  BROWSER_TAB_NOT_FOUND: {
    status: 404,
    title: "No such tab",
    detail: "There is no tab {id}; list them with GET /api/browser/tabs.",
  },
  BROWSER_TAB_LIMIT: {
    status: 409,
    title: "Too many tabs",
    detail:
      "{limit} tabs are open in this browser, which is the limit; close one and try again.",
  },
  BROWSER_QUESTION_NOT_FOUND: {
    status: 404,
    title: "No such question",
    detail:
      "There is no question {id}; list them with GET /api/browser/questions.",
  },
  BROWSER_QUESTION_CLOSED: {
    status: 409,
    title: "The question is closed",
    detail:
      "The question {id} was answered, or the agent does not wait for it any more.",
  },
  BROWSER_ANNOTATION_NOT_FOUND: {
    status: 404,
    title: "No such annotation",
    detail:
      "There is no annotation {id}; list them with GET /api/browser/annotations.",
  },
  BROWSER_SCREENSHOT_NOT_FOUND: {
    status: 404,
    title: "No screenshot",
    detail:
      "There is no screenshot of an annotation {id}; those that have one say so in GET /api/browser/annotations.",
  },
  BROWSER_DOWNLOAD_NOT_FOUND: {
    status: 404,
    title: "No such download",
    detail:
      "There is no download {id}; list them with GET /api/browser/downloads.",
  },
  BROWSER_FILE_NOT_FOUND: {
    status: 404,
    title: "No such file",
    detail:
      "There is no file of a download {id}; those that have one say so in GET /api/browser/downloads.",
  },
  BROWSER_VISIT_NOT_FOUND: {
    status: 404,
    title: "No such visit",
    detail: "There is no visit {id}; list them with GET /api/browser/history.",
  },
  BROWSER_PERMISSION_NOT_FOUND: {
    status: 404,
    title: "No such permission",
    detail:
      "There is no permission {id}; list them with GET /api/browser/permissions.",
  },
  BROWSER_AGENT_NOT_FOUND: {
    status: 404,
    title: "No such agent",
    detail: "There is no agent {id}; list them with GET /api/agents.",
  },
  BROWSER_AGENTS_MISSING: {
    status: 503,
    title: "The agents plugin is not active",
    detail:
      'The service {service} is missing because the plugin "agents" is not active; nothing was done. GET /api/plugins tells why.',
  },
});
