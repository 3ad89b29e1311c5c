/** What stops an attempt: a refusal by the guard, the egress, Chromium itself, or that it has no effect. */
export type Stop = "guard" | "egress" | "chromium" | "nothing";

/** One attempt to reach Gantry through the protocol. */
export interface EscapeRow {
  name: string;
  method: string;
  params: Record<string, unknown>;
  level: "page" | "browser";
  /** What stops it at the tier `full`; at `act` the guard may stop it earlier. */
  by: Stop;
  /** Whether the answer may have content, as long as nothing was reached. */
  mayAnswer?: boolean;
}

const LOCAL_FILE = "file:///etc/passwd";

/** Creates all attempts from the port of Gantry's stand-in. Each identifies itself in `v` where it can. */
export function toEscapeRows(
  port: number,
  userTab: string,
  userSession: string,
): EscapeRow[] {
  return [
    ...navigations(port),
    ...targets(port, userTab, userSession),
    ...browserCalls(),
    ...pageCalls(port),
    ...keys(),
    ...scripts(port),
  ];
}

function page(
  method: string,
  params: Record<string, unknown>,
  by: Stop,
  mayAnswer = false,
): EscapeRow {
  return {
    name: `${method} ${JSON.stringify(params)}`.slice(0, 110),
    method,
    params,
    level: "page",
    by,
    mayAnswer,
  };
}

function browser(
  method: string,
  params: Record<string, unknown> = {},
  by: Stop = "guard",
): EscapeRow {
  return { ...page(method, params, by), level: "browser" };
}

function navigations(port: number): EscapeRow[] {
  const gantry = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `gantry.localhost:${port}`,
    `GANTRY.localhost.:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `0.0.0.0:${port}`,
    `2130706433:${port}`,
    `0177.0.0.1:${port}`,
    `0x7f.1:${port}`,
    `127.1:${port}`,
    `site.test@127.0.0.1:${port}`,
  ];
  const refused = [
    LOCAL_FILE,
    "FILE:///etc/passwd",
    "\tfile:///etc/passwd",
    "chrome://version",
    "chrome://settings",
    "about:version",
    "devtools://devtools/bundled/inspector.html",
    "chrome-extension://x/y",
    "chrome-untrusted://terminal",
    "view-source:http://site.test/app",
    `view-source:http://127.0.0.1:${port}/`,
    "view-source:file:///etc/passwd",
    "data:text/html,<h1>x",
    "javascript:fetch(1)",
    "blob:http://site.test/1",
    "filesystem:http://site.test/x",
    "ftp://site.test/",
    ...gantry.map((host) => `http://${host}/`),
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "http://10.0.0.1/",
    "http://localhost:22/",
    `about:blank#http://127.0.0.1:${port}/`.replace(
      "about:blank#",
      "http://[::ffff:7f00:1]:1@",
    ),
  ];
  const lying = [
    ...["inside", "mixed", "mapped"].map(
      (name) => `http://${name}.site.test:${port}/`,
    ),
    "http://meta.site.test/",
    "http://lan.site.test/",
    `http://site.test/redirect?to=http://127.0.0.1:${port}/`,
  ];
  return [
    ...refused.map((url) => page("Page.navigate", { url }, "guard")),
    ...lying.map((url) => page("Page.navigate", { url }, "egress", true)),
    page(
      "Page.navigate",
      { url: `http://site.test/redirect?to=${LOCAL_FILE}` },
      "chromium",
      true,
    ),
    page(
      "Page.navigate",
      { url: "http://site.test/redirect?to=chrome://version" },
      "chromium",
      true,
    ),
  ];
}

function targets(
  port: number,
  userTab: string,
  userSession: string,
): EscapeRow[] {
  return [
    ...[
      "chrome://version",
      LOCAL_FILE,
      `http://127.0.0.1:${port}/`,
      "view-source:http://site.test/",
    ].map((url) => browser("Target.createTarget", { url })),
    browser("Target.attachToBrowserTarget"),
    browser("Target.attachToTarget", { targetId: userTab, flatten: true }),
    browser("Target.attachToTarget", { targetId: [userTab] }),
    browser("Target.attachToTarget", { targetId: "__proto__" }),
    browser("Target.activateTarget", { targetId: userTab }),
    browser("Target.closeTarget", { targetId: userTab }),
    browser("Target.getTargets", {}, "nothing"),
    browser("Target.getTargetInfo", { targetId: userTab }, "nothing"),
    browser("Target.detachFromTarget", { sessionId: userSession }, "nothing"),
    browser("Target.exposeDevToolsProtocol", { targetId: userTab }),
    browser("Target.setRemoteLocations", { locations: [] }),
    browser("Target.sendMessageToTarget", {
      sessionId: userSession,
      message: '{"id":1,"method":"Page.reload"}',
    }),
    browser("Target.createBrowserContext", { proxyServer: "direct://" }),
    browser("Target.disposeBrowserContext", { browserContextId: "1" }),
    browser("Target.autoAttachRelated", {
      targetId: userTab,
      waitForDebuggerOnStart: true,
    }),
    browser("Target.openDevTools", { targetId: userTab }),
    browser(
      "Browser.setDownloadBehavior",
      { behavior: "allow", downloadPath: "/etc" },
      "nothing",
    ),
    browser("Browser.close", {}, "nothing"),
    page(
      "Page.setDownloadBehavior",
      { behavior: "allow", downloadPath: "/etc" },
      "nothing",
    ),
    page(
      "Target.setAutoAttach",
      { autoAttach: true, waitForDebuggerOnStart: false, flatten: false },
      "nothing",
    ),
    page(
      "Target.attachToTarget",
      { targetId: userTab, flatten: true },
      "guard",
    ),
    page("Target.getTargets", {}, "guard"),
    page("Target.createTarget", { url: LOCAL_FILE }, "guard"),
  ];
}

function browserCalls(): EscapeRow[] {
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

function pageCalls(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const calls: [string, Record<string, unknown>][] = [
    ["Network.getAllCookies", {}],
    ["Storage.getCookies", {}],
    [
      "Storage.clearDataForOrigin",
      { origin: "http://site.test", storageTypes: "all" },
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

function keys(): EscapeRow[] {
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

function scripts(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const run = (expression: string, by: Stop) =>
    page(
      "Runtime.evaluate",
      { expression, userGesture: true, returnByValue: true },
      by,
      true,
    );
  return [
    run(
      `void fetch('${gantry}?v=fetch',{credentials:'include',mode:'no-cors'}).catch(()=>0)`,
      "egress",
    ),
    run(
      `void fetch('http://gantry.localhost:${port}/?v=name',{mode:'no-cors'}).catch(()=>0)`,
      "egress",
    ),
    run(`void new WebSocket('ws://127.0.0.1:${port}/?v=socket')`, "egress"),
    run(`void open('${gantry}?v=open')`, "egress"),
    run(`void open('${gantry}?v=noopener','_blank','noopener')`, "egress"),
    run(`location='${gantry}?v=location';0`, "egress"),
    run(
      `location=URL.createObjectURL(new Blob(['<script>fetch("${gantry}?v=blob",{mode:"no-cors"})</'+'script>'],{type:'text/html'}));0`,
      "egress",
    ),
    run(
      `document.body.innerHTML='<iframe src="${gantry}?v=iframe">';0`,
      "egress",
    ),
    run(
      `document.body.innerHTML='<a download href="${gantry}?v=download">x</a>';document.querySelector('a').click();0`,
      "egress",
    ),
    run(`location='file:///etc/passwd';0`, "chromium"),
    run(`location='chrome://version';0`, "chromium"),
    run(`void open('file:///etc/passwd')`, "chromium"),
    run(`void open('chrome://version')`, "chromium"),
    run(
      `document.body.innerHTML='<iframe src="file:///etc/passwd">';0`,
      "chromium",
    ),
    run(`location='mailto:a@b.c';0`, "chromium"),
    run(`location='view-source:${gantry}?v=source';0`, "chromium"),
  ];
}
