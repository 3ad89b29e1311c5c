/** What stops an attempt: a refusal by the guard, the egress, Chromium itself, or that it has no effect. */
export type Stop = "guard" | "egress" | "chromium" | "nothing";

/** One attempt to reach what an agent may not reach. */
export interface EscapeRow {
  name: string;
  method: string;
  /** `OWN_TAB` stands for the agent's tab. */
  params: Record<string, unknown>;
  level: "page" | "browser";
  /** What stops it at the tier `full`; at `act` the guard may stop it earlier. */
  by: Stop;
  /** What stops it where all public sites are allowed, if it is something else. */
  byWithAllSites?: Stop;
  /** Whether the answer may have content, as long as nothing was reached. */
  mayAnswer: boolean;
}

/** Where attempts go. */
export interface EscapeTargets {
  /** A port of this machine that no page may reach. */
  port: number;
  /** Host and port of the site that the agent may open. */
  site: string;
  userTab: string;
  userSession: string;
  userContext: string;
}

const LOCAL_FILE = "file:///etc/passwd";

/** Creates all attempts. Each identifies itself in `v` where it can. */
export function toEscapeRows({
  port,
  site,
  userTab,
  userSession,
  userContext,
}: EscapeTargets): EscapeRow[] {
  const rows = [
    ...navigations(port),
    ...targets(port, userTab, userSession),
    ...browserCalls(),
    ...pageCalls(port),
    ...foreignFrames(userTab, userContext),
    ...documents(port),
    ...keys(),
    ...scripts(port),
    ...workers(port),
  ];
  return JSON.parse(
    JSON.stringify(rows).replaceAll("SITE", site),
  ) as EscapeRow[];
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
  mayAnswer = false,
): EscapeRow {
  return { ...page(method, params, by, mayAnswer), level: "browser" };
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
    `SITE@127.0.0.1:${port}`,
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
    "view-source:http://SITE/app",
    `view-source:http://127.0.0.1:${port}/`,
    "view-source:file:///etc/passwd",
    "data:text/html,<h1>x",
    "javascript:fetch(1)",
    "blob:http://SITE/1",
    "filesystem:http://SITE/x",
    "ftp://site.test/",
    ...gantry.map((host) => `http://${host}/`),
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://10.0.0.1/",
    "http://localhost:22/",
  ];
  const lying = [
    ...["inside", "mixed", "mapped"].map(
      (name) => `http://${name}.site.test:${port}/`,
    ),
    "http://meta.site.test/",
    "http://lan.site.test/",
    `http://SITE/redirect?to=http://127.0.0.1:${port}/`,
  ];
  return [
    ...refused.map((url) => page("Page.navigate", { url }, "guard")),
    ...lying.map((url) => page("Page.navigate", { url }, "egress", true)),
    {
      ...page(
        ...([
          "Page.navigate",
          { url: "http://metadata.google.internal/" },
        ] as const),
        ...(["guard", true] as const),
      ),
      byWithAllSites: "egress",
    },
    page(
      "Page.navigate",
      { url: `http://SITE/redirect?to=${LOCAL_FILE}` },
      "chromium",
      true,
    ),
    page(
      "Page.navigate",
      { url: "http://SITE/redirect?to=chrome://version" },
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
      "view-source:http://SITE/",
    ].map((url) => browser("Target.createTarget", { url })),
    browser("Target.attachToBrowserTarget"),
    browser("Target.attachToTarget", { targetId: userTab, flatten: true }),
    browser("Target.attachToTarget", { targetId: [userTab] }),
    browser("Target.attachToTarget", { targetId: "__proto__" }),
    browser("Target.activateTarget", { targetId: userTab }),
    browser("Target.closeTarget", { targetId: userTab }),
    browser("Target.getTargets", {}, "nothing", true),
    browser("Target.getTargets", { filter: [{}] }, "nothing", true),
    browser("Target.getTargetInfo", { targetId: userTab }),
    browser("Target.getTargetInfo", { targetId: [userTab] }),
    browser("Target.detachFromTarget", { sessionId: userSession }),
    browser(
      "Target.setDiscoverTargets",
      { discover: true, filter: [{}] },
      "nothing",
    ),
    browser(
      "Target.setAutoAttach",
      {
        autoAttach: true,
        waitForDebuggerOnStart: false,
        flatten: false,
        filter: [{}],
      },
      "nothing",
    ),
    browser(
      "Target.attachToTarget",
      { targetId: "OWN_TAB", flatten: false },
      "nothing",
      true,
    ),
    browser("Target.createTarget", { url: [`http://127.0.0.1:${port}/`] }),
    browser("Target.createTarget", { url: null }),
    browser("Target.createTarget", {
      url: LOCAL_FILE,
      hidden: true,
      forTab: true,
      background: true,
    }),
    browser(
      "Target.createTarget",
      {
        url: "http://SITE/app",
        browserContextId: "1",
        enableBeginFrameControl: true,
        forTab: true,
        hidden: true,
      },
      "nothing",
      true,
    ),
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
function foreignFrames(userTab: string, userContext: string): EscapeRow[] {
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

/** Documents and scripts that an agent writes itself. */
function documents(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  return [
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<iframe src='${gantry}?v=content'></iframe>`,
      },
      "egress",
    ),
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<meta http-equiv=refresh content='0;url=${gantry}?v=refresh'>`,
      },
      "egress",
    ),
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<iframe srcdoc="<script>fetch('${gantry}?v=srcdoc',{mode:'no-cors'})</script>"></iframe>`,
      },
      "egress",
    ),
    page(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `fetch('${gantry}?v=world',{mode:'no-cors'})`,
        worldName: "other",
        runImmediately: true,
      },
      "egress",
      true,
    ),
    page(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `fetch('${gantry}?v=main',{mode:'no-cors'})`,
        includeCommandLineAPI: true,
        runImmediately: true,
      },
      "egress",
      true,
    ),
    page(
      "Network.setExtraHTTPHeaders",
      { headers: { Host: `127.0.0.1:${port}` } },
      "nothing",
    ),
    page("Page.navigate", { url: "java\nscript:fetch(1)" }, "guard"),
    page("Page.navigate", { url: "about:blank#x" }, "guard"),
    page("Page.navigate", { url: `http:\\\\127.0.0.1:${port}` }, "guard"),
    page("Page.navigate", { url: `http://127。0。0。1:${port}/` }, "guard"),
    page("Page.navigate", { url: `//127.0.0.1:${port}/` }, "guard"),
  ];
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

/** Scripts that run beside a page. */
function workers(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const blobOf = (code: string) =>
    `URL.createObjectURL(new Blob([${JSON.stringify(code)}],{type:'text/javascript'}))`;
  const get = (way: string) =>
    `fetch('${gantry}?v=${way}',{mode:'no-cors'}).catch(()=>0)`;
  const run = (expression: string, by: Stop) =>
    page("Runtime.evaluate", { expression, userGesture: true }, by, true);
  const rules = (kind: string, url: string) =>
    `document.head.append(Object.assign(document.createElement('script'),{type:'speculationrules',textContent:JSON.stringify({${kind}:[{urls:['${url}'],eagerness:'immediate'}]})}));0`;
  return [
    run(`void new Worker(${blobOf(get("worker"))})`, "egress"),
    run(
      `void new Worker(${blobOf(`new Worker(${blobOf(get("nested-worker"))})`)})`,
      "egress",
    ),
    run(`void new SharedWorker(${blobOf(get("shared-worker"))})`, "egress"),
    run(
      `void new Worker(${blobOf(`importScripts('${gantry}?v=import')`)})`,
      "egress",
    ),
    run(
      `void navigator.serviceWorker.register('/sw.js?port=${port}&'+Math.random())`,
      "egress",
    ),
    run(
      `void new OfflineAudioContext(1,1,44100).audioWorklet.addModule('${gantry}?v=worklet').catch(()=>0)`,
      "egress",
    ),
    run(
      `void CSS.paintWorklet.addModule('${gantry}?v=paint').catch(()=>0)`,
      "egress",
    ),
    run(rules("prerender", `${gantry}?v=prerender`), "nothing"),
    run(rules("prerender", "http://SITE/user"), "nothing"),
    run(rules("prefetch", `${gantry}?v=prefetch`), "nothing"),
    run(
      `document.body.innerHTML='<fencedframe></fencedframe><portal src="${gantry}?v=portal"></portal>';try{document.querySelector('fencedframe').config=new FencedFrameConfig('${gantry}?v=fenced')}catch{};0`,
      "nothing",
    ),
    run(
      `void new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:${port}'}]}).createOffer({offerToReceiveAudio:true})`,
      "nothing",
    ),
    run(
      `try{void new WebTransport('https://127.0.0.1:${port}/')}catch{};0`,
      "nothing",
    ),
    run(`void navigator.sendBeacon('${gantry}?v=beacon','x')`, "egress"),
    run(`void new EventSource('${gantry}?v=events')`, "egress"),
    run(
      `document.body.append(Object.assign(document.createElement('iframe'),{srcdoc:"<script>parent.fetch('${gantry}?v=parent',{mode:'no-cors'})</"+"script>"}));0`,
      "egress",
    ),
  ];
}
