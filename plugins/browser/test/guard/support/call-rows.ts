import { browser, LOCAL_FILE, page } from "./escape-row.ts";
import type { EscapeRow } from "./escape-row.ts";

/** Calls to the browser that no tier includes. */
export function browserCalls(): EscapeRow[] {
  return [
    "Browser.grantPermissions",
    "Browser.getBrowserCommandLine",
    "Browser.crash",
    "Browser.crashGpuProcess",
    "Browser.executeBrowserCommand",
    "Browser.setPermission",
    "Browser.setWindowBounds",
    "Browser.addPrivacySandboxEnrollmentOverride",
    "SystemInfo.getInfo",
    "SystemInfo.getProcessInfo",
    "Tracing.start",
    "Tracing.getCategories",
    "Storage.getCookies",
    "Storage.setCookies",
    "Storage.clearCookies",
    "IO.read",
    "IO.resolveBlob",
    "Extensions.loadUnpacked",
    "Tethering.bind",
    "PWA.install",
    "Memory.getDOMCounters",
    "Network.getAllCookies",
    "Security.disable",
    "Fetch.enable",
    "Page.navigate",
    "Runtime.evaluate",
  ].map((method) =>
    browser(
      method,
      method === "Extensions.loadUnpacked" ? { path: "/tmp" } : {},
    ),
  );
}

/** Calls to a page that no tier includes, or not with these parameters. */
export function pageCalls(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const calls: [string, Record<string, unknown>][] = [
    ["Network.getAllCookies", {}],
    ["Storage.getCookies", {}],
    [
      "Storage.clearDataForOrigin",
      { origin: "http://SITE", storageTypes: "all" },
    ],
    ["IO.read", { handle: "1" }],
    ["IO.resolveBlob", { objectId: "1" }],
    ["Tracing.start", {}],
    ["Page.crash", {}],
    ["Page.setWebLifecycleState", { state: "frozen" }],
    ["Page.captureSnapshot", {}],
    ["Page.reload", { scriptToEvaluateOnLoad: "fetch(1)" }],
    ["Page.printToPDF", { transferMode: "ReturnAsStream" }],
    [
      "Page.printToPDF",
      {
        displayHeaderFooter: true,
        headerTemplate: `<img src='${gantry}?v=header'>`,
      },
    ],
    ["Page.getResourceContent", { frameId: "1", url: gantry }],
    ["DOM.setFileInputFiles", { files: ["/etc/passwd"], nodeId: 1 }],
    ["DOM.getFileInfo", { objectId: "1" }],
    ["DOM.describeNode", { backendNodeId: 1 }],
    ["DOM.resolveNode", { backendNodeId: 2 }],
    [
      "Network.loadNetworkResource",
      {
        url: LOCAL_FILE,
        options: { disableCache: true, includeCredentials: true },
      },
    ],
    ["Network.setCookie", { name: "a", value: "b", domain: "127.0.0.1" }],
    ["Network.getCookies", { urls: [gantry] }],
    ["Network.getCookies", {}],
    ["Network.deleteCookies", { name: "a", domain: "evil.test" }],
    ["Network.getResponseBody", { requestId: "1" }],
    ["Network.replayXHR", { requestId: "1" }],
    ["Fetch.continueRequest", { requestId: "1", url: gantry }],
    ["Fetch.fulfillRequest", { requestId: "1", responseCode: 200 }],
    [
      "Fetch.continueWithAuth",
      { requestId: "1", authChallengeResponse: { response: "Default" } },
    ],
    ["HeapProfiler.takeHeapSnapshot", {}],
    ["Emulation.setVirtualTimePolicy", { policy: "pause" }],
    [
      "Emulation.setDeviceMetricsOverride",
      {
        width: 1_000_000,
        height: 1_000_000,
        deviceScaleFactor: 1,
        mobile: false,
      },
    ],
    ["WebAuthn.enable", {}],
    ["WebAudio.enable", {}],
    ["Autofill.setAddresses", { addresses: [] }],
    ["FileSystem.getDirectory", { bucketFileSystemLocator: {} }],
    ["Debugger.setBreakpointByUrl", { url: "x", lineNumber: 1 }],
    ["Page.setBypassCSP", { enabled: true }],
    [
      "Input.dispatchDragEvent",
      {
        type: "drop",
        x: 1,
        y: 1,
        data: { items: [], files: ["/etc/passwd"], dragOperationsMask: 1 },
      },
    ],
    ["Input.setInterceptDrags", { enabled: true }],
    ["Runtime.queryObjects", { prototypeObjectId: "1" }],
    ["Browser.getBrowserCommandLine", {}],
    ["constructor", {}],
    ["__proto__", {}],
    ["page.navigate", { url: LOCAL_FILE }],
    ["Page.navigate\0", { url: LOCAL_FILE }],
  ];
  return calls.map(([method, params]) => page(method, params, "guard"));
}

/** Calls that name a frame or context of the user's tab; Chromium looks for it among those of the session. */
export function foreignFrames(
  userTab: string,
  userContext: string,
): EscapeRow[] {
  const calls: [string, Record<string, unknown>][] = [
    ["Page.setDocumentContent", { frameId: userTab, html: "<h1>x" }],
    ["Page.navigate", { frameId: userTab, url: "http://SITE/app" }],
    ["Page.createIsolatedWorld", { frameId: userTab }],
    ["Page.getResourceContent", { frameId: userTab, url: "http://SITE/user" }],
    ["DOM.getFrameOwner", { frameId: userTab }],
    ["Accessibility.getFullAXTree", { frameId: userTab }],
    [
      "Runtime.evaluate",
      { uniqueContextId: userContext, expression: "document.title" },
    ],
    [
      "Runtime.callFunctionOn",
      {
        uniqueContextId: userContext,
        functionDeclaration: "() => document.title",
      },
    ],
    ["Emulation.setUserAgentOverride", { userAgent: "x\r\nHost: evil.test" }],
    ["Network.setUserAgentOverride", { userAgent: "x\r\nHost: evil.test" }],
    ["Network.setExtraHTTPHeaders", { headers: { "a\r\nHost": "evil.test" } }],
  ];
  return calls.map(([method, params]) => page(method, params, "chromium"));
}

/** Shortcuts of a browser. */
export function keys(): EscapeRow[] {
  const combinations: [string, number, number][] = [
    ["t", 84, 2],
    ["u", 85, 2],
    ["o", 79, 2],
    ["n", 78, 2],
    ["j", 74, 10],
    ["F12", 123, 0],
  ];
  return combinations.map(([key, windowsVirtualKeyCode, modifiers]) =>
    page(
      "Input.dispatchKeyEvent",
      { type: "rawKeyDown", key, windowsVirtualKeyCode, modifiers },
      "nothing",
    ),
  );
}
