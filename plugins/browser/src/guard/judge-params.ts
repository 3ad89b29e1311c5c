import type { Refusal } from "../fence/rules.ts";

/** Parameters of a call. */
export type Params = Readonly<Record<string, unknown>>;

/** What judging parameters depends on besides them. */
export interface ParamsContext {
  /** Judges the address of a page. */
  judgeUrl(url: string): Refusal;
  /** Judges a file that a page is given. */
  judgeFile(path: string): Refusal;
  /** The address of a request that the session was notified of. */
  urlOfRequest(requestId: unknown): string | undefined;
}

type ParamsJudge = (params: Params, context: ParamsContext) => Refusal;

const MAX_VIEWPORT_PX = 10_000;
const MAX_SCALE = 5;
const MAX_FILES = 100;

const judgeOwnUrl: ParamsJudge = ({ url = "" }, context) =>
  judgeUrlParam(url, context);

/** Changing a request or reading its content needs the same permission as opening its address. */
const judgeRequest: ParamsJudge = ({ requestId }, context) => {
  const url = context.urlOfRequest(requestId);
  return url === undefined
    ? "this request was not seen in this session"
    : judgeUrlParam(url, context);
};

/** Judges of parameters, by method. */
export const PARAMS_JUDGES: ReadonlyMap<string, ParamsJudge> = new Map<
  string,
  ParamsJudge
>([
  ["Page.navigate", judgeOwnUrl],
  ["Target.createTarget", judgeOwnUrl],
  ["Page.getResourceContent", judgeOwnUrl],
  [
    "Page.reload",
    ({ scriptToEvaluateOnLoad }) =>
      scriptToEvaluateOnLoad === undefined
        ? null
        : "a page cannot be reloaded with a script",
  ],
  [
    "Page.captureScreenshot",
    ({ clip }) => (clip === undefined ? null : judgeSize(clip)),
  ],
  [
    "Page.printToPDF",
    ({ transferMode, headerTemplate, footerTemplate }) => {
      if (transferMode !== undefined && transferMode !== "ReturnAsBase64")
        return "streams are not given to agents";
      // They are pages of their own, which the guard does not control.
      return headerTemplate === undefined && footerTemplate === undefined
        ? null
        : "headers and footers of its own are not printed";
    },
  ],
  [
    "DOM.setFileInputFiles",
    ({ files }, { judgeFile }) => {
      if (!Array.isArray(files) || files.length > MAX_FILES)
        return `files are a list of at most ${MAX_FILES} paths`;
      return firstRefusal(files, (file) =>
        typeof file === "string" ? judgeFile(file) : "this is not a path",
      );
    },
  ],
  ["Emulation.setDeviceMetricsOverride", judgeSize],
  [
    "Network.getCookies",
    ({ urls }, context) =>
      Array.isArray(urls) && urls.length > 0
        ? firstRefusal(urls, (url) => judgeUrlParam(url, context))
        : "name the addresses whose cookies you want (urls)",
  ],
  [
    "Network.deleteCookies",
    ({ url, domain }, context) =>
      typeof url === "string" && domain === undefined
        ? judgeUrlParam(url, context)
        : "name the address whose cookie you want to delete (url)",
  ],
  ["Network.getResponseBody", judgeRequest],
  ["Network.getRequestPostData", judgeRequest],
  ["Fetch.fulfillRequest", judgeRequest],
  ["Fetch.continueResponse", judgeRequest],
  ["Fetch.getResponseBody", judgeRequest],
  [
    "Fetch.continueRequest",
    (params, context) => {
      const { requestId: _, ...changes } = params;
      if (Object.keys(changes).length === 0) return null;
      const { url } = changes;
      return (
        judgeRequest(params, context) ??
        (url === undefined ? null : judgeUrlParam(url, context))
      );
    },
  ],
]);

/** Parameters that drivers set and that are removed for agents, by method. */
export const FORBIDDEN_PARAMS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    // A world that may read frames and answers of all sites. Chromium itself uses the first spelling.
    [
      "Page.createIsolatedWorld",
      ["grantUniveralAccess", "grantUniversalAccess"],
    ],
    ["Page.addScriptToEvaluateOnNewDocument", ["includeCommandLineAPI"]],
    // Its `debug` can halt the whole process, other pages included.
    ["Runtime.evaluate", ["includeCommandLineAPI"]],
    ["Runtime.runScript", ["includeCommandLineAPI"]],
  ],
);

function judgeUrlParam(url: unknown, { judgeUrl }: ParamsContext): Refusal {
  return typeof url === "string" ? judgeUrl(url) : "this is not a URL";
}

/** Judges an area of pixels, since a picture of it may need more memory than there is. */
function judgeSize(area: unknown): Refusal {
  const { width, height, deviceScaleFactor, scale } = (area ?? {}) as Params;
  const isSmall = (value: unknown, max: number) =>
    typeof value === "number" && value <= max;
  if (!isSmall(width, MAX_VIEWPORT_PX) || !isSmall(height, MAX_VIEWPORT_PX))
    return `an area is at most ${MAX_VIEWPORT_PX} pixels wide and high`;
  return [deviceScaleFactor, scale].every(
    (each) => each === undefined || isSmall(each, MAX_SCALE),
  )
    ? null
    : `a scale is at most ${MAX_SCALE}`;
}

function firstRefusal(
  items: readonly unknown[],
  judge: (item: unknown) => Refusal,
): Refusal {
  for (const item of items) {
    const refusal = judge(item);
    if (refusal !== null) return refusal;
  }
  return null;
}
