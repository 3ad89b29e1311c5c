import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { judgeCall } from "../../../src/guard/judge-call.ts";
import { TIERS } from "../../../src/records/schemas.ts";
import type { Tier } from "../../../src/records/schemas.ts";

type Level = "browser" | "page";
type Params = Record<string, unknown>;

export const ALLOWED = "http://allowed.test/";
const OTHER = "http://other.test/";

/** All methods that agents may call, with the lowest tier, independent of the tables of the guard. */
const METHODS = readFileSync(join(import.meta.dirname, "methods.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" ") as [Level, Tier, string]);

/** Methods that no tier includes. */
export const FORBIDDEN_METHODS = [
  ..."crash crashGpuProcess getBrowserCommandLine grantPermissions setPermission setWindowBounds executeBrowserCommand cancelDownload"
    .split(" ")
    .map((name) => `Browser.${name}`),
  ..."attachToBrowserTarget createBrowserContext disposeBrowserContext exposeDevToolsProtocol sendMessageToTarget setRemoteLocations autoAttachRelated openDevTools"
    .split(" ")
    .map((name) => `Target.${name}`),
  ..."IO.read IO.resolveBlob Tracing.start SystemInfo.getInfo Storage.getCookies Storage.setCookies Extensions.loadUnpacked Tethering.bind HeapProfiler.takeHeapSnapshot WebAuthn.enable Memory.getDOMCounters PWA.install Cast.enable FileSystem.getDirectory Autofill.setAddresses".split(
    " ",
  ),
  ..."Debugger.setBreakpointByUrl Debugger.pause DOM.getFileInfo Emulation.setVirtualTimePolicy Input.dispatchDragEvent Input.setInterceptDrags Network.getAllCookies Network.loadNetworkResource Network.setCookie Network.setCookies Network.replayXHR".split(
    " ",
  ),
  ..."Page.captureSnapshot Page.crash Page.setBypassCSP Page.startScreencast Page.setWebLifecycleState Fetch.continueWithAuth Fetch.takeResponseBodyAsStream Runtime.queryObjects Runtime.terminateExecution".split(
    " ",
  ),
  ...["page.navigate", "Page.navigate\0", " Page.navigate", "Page", ""],
  ...["constructor", "__proto__", "toString", "hasOwnProperty"],
];

/** Parameters with which a call is allowed where it could be refused for them. */
const GOOD_PARAMS: Readonly<Record<string, Params>> = {
  "DOM.setFileInputFiles": { files: ["/folder/a"] },
  "Emulation.setDeviceMetricsOverride": { width: 390, height: 844 },
  "Network.getCookies": { urls: [ALLOWED] },
  "Network.deleteCookies": { name: "a", url: ALLOWED },
  "Network.getResponseBody": { requestId: "good" },
  "Network.getRequestPostData": { requestId: "good" },
  "Fetch.fulfillRequest": { requestId: "good", responseCode: 200 },
  "Fetch.continueResponse": { requestId: "good" },
  "Fetch.getResponseBody": { requestId: "good" },
};

const key = (params: Params): [string, Params] => [
  "Input.dispatchKeyEvent",
  params,
];
const mouse = (params: Params): [string, Params] => [
  "Input.dispatchMouseEvent",
  params,
];

/** Calls that only `full` includes, because of their parameters. */
const CLIPBOARD_CALLS = [
  key({ commands: ["paste"] }),
  key({ commands: ["PasteAndMatchStyle"] }),
  key({ commands: ["selectAll", "Copy"] }),
  key({ commands: ["yank"] }),
  key({ commands: ["cut"] }),
  key({ commands: "selectAll" }),
  key({ commands: [1] }),
  key({ modifiers: 2, key: "v" }),
  key({ modifiers: 2, code: "KeyC" }),
  key({ modifiers: 2, text: "x" }),
  key({ modifiers: 2, key: ["v"] }),
  key({ modifiers: "2", key: "v" }),
  key({ modifiers: 4, windowsVirtualKeyCode: 88 }),
  key({ modifiers: 10, windowsVirtualKeyCode: 86 }),
  key({ modifiers: 2, windowsVirtualKeyCode: "86" }),
  key({ modifiers: 2, nativeVirtualKeyCode: 67 }),
  key({ modifiers: 8, key: "Insert" }),
  key({ modifiers: 8, windowsVirtualKeyCode: 46 }),
  mouse({ button: "middle" }),
  mouse({ button: "none", buttons: 4 }),
  mouse({ button: "none", buttons: "4" }),
];
const HARMLESS_INPUT: [string, Params][] = [
  key({ key: "v" }),
  key({ modifiers: 2, key: "a", commands: ["selectAll"] }),
  key({ modifiers: 8, key: "V" }),
  key({ key: "Delete", windowsVirtualKeyCode: 46 }),
  key({ modifiers: 2, key: "Insertion" }),
  mouse({ button: "left", buttons: 1 }),
  ["Input.insertText", { text: "paste" }],
];

const SIZE = "Emulation.setDeviceMetricsOverride";
/** Calls at the tier `full`, and whether they are allowed. */
const CALLS: [method: string, params: Params, isAllowed: boolean][] = [
  ["Page.navigate", { url: ALLOWED }, true],
  ["Page.navigate", { url: OTHER }, false],
  ["Page.navigate", { url: 1 }, false],
  ["Page.navigate", { url: [ALLOWED] }, false],
  ["Page.getResourceContent", { frameId: "1", url: OTHER }, false],
  ["Page.reload", { scriptToEvaluateOnLoad: "" }, false],
  ["Page.captureScreenshot", { clip: { width: 9e9, height: 1 } }, false],
  ["Page.captureScreenshot", { clip: { width: 1, height: 1e5 } }, false],
  [
    "Page.captureScreenshot",
    { clip: { x: 0, y: 0, width: 9, height: 9, scale: 1 } },
    true,
  ],
  [
    "Page.captureScreenshot",
    { clip: { width: 9, height: 9, scale: 99 } },
    false,
  ],
  ["Page.captureScreenshot", { clip: null }, false],
  ["Page.printToPDF", { transferMode: "ReturnAsBase64" }, true],
  ["Page.printToPDF", { transferMode: "ReturnAsStream" }, false],
  ["Page.printToPDF", { headerTemplate: "<p>" }, false],
  ["Page.printToPDF", { footerTemplate: "<p>" }, false],
  ["DOM.setFileInputFiles", { files: ["/folder/a", "/etc/passwd"] }, false],
  ["DOM.setFileInputFiles", { files: "/folder/a" }, false],
  ["DOM.setFileInputFiles", { files: [{}] }, false],
  ["DOM.setFileInputFiles", {}, false],
  [
    "DOM.setFileInputFiles",
    { files: Array.from({ length: 101 }, () => "/folder/a") },
    false,
  ],
  ["DOM.describeNode", { backendNodeId: 7 }, true],
  ["DOM.describeNode", { backendNodeId: 8 }, false],
  ["DOM.describeNode", { backendNodeId: null }, false],
  ["DOM.resolveNode", { backendNodeId: "7" }, false],
  ["Accessibility.queryAXTree", { backendNodeId: 8 }, false],
  ["DOM.pushNodesByBackendIdsToFrontend", { backendNodeIds: [7] }, true],
  ["DOM.pushNodesByBackendIdsToFrontend", { backendNodeIds: [7, 8] }, false],
  [SIZE, { width: 1e6, height: 844 }, false],
  [SIZE, { width: 390, height: 1e6 }, false],
  [SIZE, { width: "390", height: 844 }, false],
  [SIZE, { width: 390, height: 844, deviceScaleFactor: 3 }, true],
  [SIZE, { width: 390, height: 844, deviceScaleFactor: 100 }, false],
  ["Network.getCookies", { urls: [ALLOWED, OTHER] }, false],
  ["Network.getCookies", { urls: [] }, false],
  ["Network.getCookies", {}, false],
  ["Network.deleteCookies", { name: "a", domain: "other.test" }, false],
  ["Network.deleteCookies", { name: "a", url: OTHER }, false],
  [
    "Network.deleteCookies",
    { name: "a", url: ALLOWED, domain: "other.test" },
    false,
  ],
  ...[
    "Network.getResponseBody",
    "Network.getRequestPostData",
    "Fetch.fulfillRequest",
    "Fetch.continueResponse",
    "Fetch.getResponseBody",
  ].flatMap((method): [string, Params, boolean][] => [
    [method, { requestId: "bad" }, false],
    [method, { requestId: "unseen" }, false],
  ]),
  ["Fetch.continueRequest", { requestId: "bad" }, true],
  ["Fetch.continueRequest", { requestId: "bad", headers: [] }, false],
  ["Fetch.continueRequest", { requestId: "good", url: OTHER }, false],
  ["Fetch.continueRequest", { requestId: "good", url: ALLOWED }, true],
  ["Fetch.continueRequest", { requestId: "bad", url: ALLOWED }, false],
];

/** Parameters that are not sent. */
const REMOVED_PARAMS: [method: string, name: string][] = [
  ["Page.createIsolatedWorld", "grantUniveralAccess"],
  ["Page.createIsolatedWorld", "grantUniversalAccess"],
  ["Page.addScriptToEvaluateOnNewDocument", "includeCommandLineAPI"],
  ["Runtime.evaluate", "includeCommandLineAPI"],
  ["Runtime.runScript", "includeCommandLineAPI"],
];

/** Compares the verdicts of a judge with what they have to be. Returns a line for each that is another. */
export function findWrongVerdicts(judge: typeof judgeCall): string[] {
  const wrong: string[] = [];
  const verdictOf = (
    method: string,
    params: Params,
    tier: Tier = "full",
    level: Level = "page",
  ) =>
    judge(
      { method, params, level },
      {
        tier,
        judgeUrl: (url) => (url === ALLOWED ? null : "not listed"),
        judgeFile: (path) => (path === "/folder/a" ? null : "outside"),
        isKnownNode: (id) => id === 7,
        urlOfRequest: (id) =>
          ({ good: ALLOWED, bad: OTHER })[String(id)] ?? undefined,
      },
    );
  function expectVerdict(
    isAllowed: boolean,
    ...call: Parameters<typeof verdictOf>
  ): void {
    if ((verdictOf(...call).refusal === null) !== isAllowed)
      wrong.push(`${JSON.stringify(call)} must be ${String(isAllowed)}`);
  }

  for (const tier of TIERS)
    for (const level of ["browser", "page"] as const) {
      for (const method of FORBIDDEN_METHODS)
        expectVerdict(false, method, {}, tier, level);
      for (const [listed, needed, method] of METHODS) {
        const isIncluded =
          TIERS.indexOf(tier) >= TIERS.indexOf(needed) &&
          METHODS.some(([at, , name]) => at === level && name === method);
        if (listed !== level && isIncluded) continue;
        const params =
          method === "Target.createTarget" || method === "Page.navigate"
            ? { url: ALLOWED }
            : (GOOD_PARAMS[method] ??
              (method === "Page.getResourceContent" ? { url: ALLOWED } : {}));
        expectVerdict(isIncluded, method, params, tier, level);
      }
    }
  const { refusal } = verdictOf("Page.enable", {}, "none");
  if (!refusal?.includes("may not use the browser"))
    wrong.push("an agent without a tier must be told so");
  for (const [method, params] of CLIPBOARD_CALLS) {
    expectVerdict(false, method, params, "act");
    expectVerdict(true, method, params);
  }
  for (const [method, params] of HARMLESS_INPUT)
    expectVerdict(true, method, params, "act");
  for (const [method, params, isAllowed] of CALLS)
    expectVerdict(isAllowed, method, params);
  for (const url of [OTHER, "file:///", 7])
    expectVerdict(false, "Target.createTarget", { url }, "full", "browser");
  for (const [method, name] of REMOVED_PARAMS) {
    const verdict = verdictOf(method, { [name]: true, other: 1 });
    if (
      verdict.refusal !== null ||
      JSON.stringify(verdict.params) !== '{"other":1}'
    )
      wrong.push(`${method} must be sent without ${name}`);
  }
  return wrong;
}

/** Whether a listed method is one of the browser or of a page. */
export const LISTED_METHODS: readonly (readonly [Level, Tier, string])[] =
  METHODS;
