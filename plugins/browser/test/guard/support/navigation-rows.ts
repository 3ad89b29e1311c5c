import { browser, LOCAL_FILE, page } from "./escape-row.ts";
import type { EscapeRow } from "./escape-row.ts";

/** Addresses of pages. */
export function navigations(port: number): EscapeRow[] {
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

/** Tabs of others, and other connections to the browser. */
export function targets(
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
