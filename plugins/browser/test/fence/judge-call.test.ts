import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeCall } from "../../src/fence/judge-call.ts";
import type { CallContext, CallVerdict } from "../../src/fence/judge-call.ts";
import { BROWSER_METHODS, PAGE_METHODS } from "../../src/fence/methods.ts";
import { TIERS } from "../../src/fence/policy.ts";
import type { Tier } from "../../src/fence/policy.ts";

const ALLOWED = "http://allowed.test/";

function judge(
  method: string,
  params: Record<string, unknown> = {},
  {
    level = "page" as "page" | "browser",
    ...context
  }: Partial<CallContext> & { level?: "page" | "browser" } = {},
): CallVerdict {
  return judgeCall(
    { method, params, level },
    {
      tier: "full",
      judgeUrl: (url) => (url === ALLOWED ? null : "not listed"),
      judgeFile: (path) => (path === "/folder/a" ? null : "outside"),
      isKnownNode: (id) => id === 7,
      urlOfRequest: (id) =>
        id === "good"
          ? ALLOWED
          : id === "bad"
            ? "http://evil.test/"
            : undefined,
      ...context,
    },
  );
}
const isAllowed = (verdict: CallVerdict) => verdict.refusal === null;

describe("the tables", () => {
  test.each([...PAGE_METHODS])("%s needs its tier", (method, { tier }) => {
    for (const each of TIERS) {
      const verdict = judge(method, {}, { tier: each });
      if (TIERS.indexOf(each) < TIERS.indexOf(tier))
        expect(verdict.refusal).toMatchObject({ cause: "tier" });
      else expect(verdict.refusal?.cause).not.toBe("tier");
    }
  });

  test("the tier none has nothing, and each tier has all of the one before", () => {
    const count = (tier: Tier) =>
      [...PAGE_METHODS, ...BROWSER_METHODS].filter(
        ([, method]) => TIERS.indexOf(tier) >= TIERS.indexOf(method.tier),
      ).length;
    for (const method of [...PAGE_METHODS.keys(), ...BROWSER_METHODS.keys()])
      for (const level of ["page", "browser"] as const)
        expect(isAllowed(judge(method, {}, { tier: "none", level }))).toBe(
          false,
        );
    expect([count("read"), count("act"), count("full")]).toMatchInlineSnapshot(`
      [
        58,
        88,
        165,
      ]
    `);
  });

  test("no tier includes a domain that reaches beyond a page", () => {
    const domains = new Set(
      [...PAGE_METHODS.keys(), ...BROWSER_METHODS.keys()].map(
        (method) => method.split(".")[0],
      ),
    );
    for (const domain of [
      "IO",
      "Tracing",
      "SystemInfo",
      "Storage",
      "Extensions",
      "Tethering",
      "HeapProfiler",
      "WebAuthn",
      "Memory",
      "PWA",
      "Cast",
    ])
      expect(domains).not.toContain(domain);
  });

  test("a method of one level is not one of the other", () => {
    expect(isAllowed(judge("Target.createTarget"))).toBe(false);
    expect(isAllowed(judge("Page.enable", {}, { level: "browser" }))).toBe(
      false,
    );
  });
});

test.each([
  "Browser.crash",
  "Browser.getBrowserCommandLine",
  "Browser.grantPermissions",
  "Browser.setPermission",
  "Target.attachToBrowserTarget",
  "Target.createBrowserContext",
  "Target.exposeDevToolsProtocol",
  "Target.sendMessageToTarget",
  "Target.setRemoteLocations",
  "Debugger.setBreakpointByUrl",
  "DOM.getFileInfo",
  "Emulation.setVirtualTimePolicy",
  "Input.dispatchDragEvent",
  "Network.getAllCookies",
  "Network.loadNetworkResource",
  "Network.setCookie",
  "Page.captureSnapshot",
  "Page.crash",
  "Page.setBypassCSP",
  "Fetch.continueWithAuth",
  "Runtime.queryObjects",
  "Runtime.terminateExecution",
  "page.navigate",
  "Page.navigate\0",
  " Page.navigate",
  "constructor",
  "__proto__",
  "toString",
  "",
])("%j is refused at every tier and level", (method) => {
  for (const tier of TIERS)
    for (const level of ["page", "browser"] as const)
      expect(judge(method, {}, { tier, level }).refusal).not.toBeNull();
});

describe("parameters", () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ["Page.navigate", { url: ALLOWED }, true],
    ["Page.navigate", { url: "http://evil.test/" }, false],
    ["Page.navigate", { url: 1 }, false],
    ["Page.navigate", { url: [ALLOWED] }, false],
    [
      "Page.getResourceContent",
      { frameId: "1", url: "http://evil.test/" },
      false,
    ],
    ["Page.reload", {}, true],
    ["Page.reload", { scriptToEvaluateOnLoad: "" }, false],
    ["Page.printToPDF", { transferMode: "ReturnAsBase64" }, true],
    ["Page.printToPDF", { transferMode: "ReturnAsStream" }, false],
    ["Page.printToPDF", { headerTemplate: "<p>" }, false],
    ["Page.printToPDF", { footerTemplate: "<p>" }, false],
    ["DOM.setFileInputFiles", { nodeId: 1, files: ["/folder/a"] }, true],
    [
      "DOM.setFileInputFiles",
      { nodeId: 1, files: ["/folder/a", "/etc/passwd"] },
      false,
    ],
    ["DOM.setFileInputFiles", { nodeId: 1, files: "/folder/a" }, false],
    ["DOM.setFileInputFiles", { nodeId: 1, files: [{}] }, false],
    ["DOM.describeNode", { backendNodeId: 7 }, true],
    ["DOM.describeNode", { backendNodeId: 8 }, false],
    ["DOM.resolveNode", { backendNodeId: "7" }, false],
    ["Accessibility.queryAXTree", { backendNodeId: 8 }, false],
    ["DOM.pushNodesByBackendIdsToFrontend", { backendNodeIds: [7] }, true],
    ["DOM.pushNodesByBackendIdsToFrontend", { backendNodeIds: [7, 8] }, false],
    ["Emulation.setDeviceMetricsOverride", { width: 390, height: 844 }, true],
    ["Emulation.setDeviceMetricsOverride", { width: 1e6, height: 844 }, false],
    ["Network.getCookies", { urls: [ALLOWED] }, true],
    ["Network.getCookies", { urls: [ALLOWED, "http://evil.test/"] }, false],
    ["Network.getCookies", {}, false],
    ["Network.deleteCookies", { name: "a", url: ALLOWED }, true],
    ["Network.deleteCookies", { name: "a", domain: "evil.test" }, false],
    [
      "Network.deleteCookies",
      { name: "a", url: ALLOWED, domain: "evil.test" },
      false,
    ],
    ["Network.getResponseBody", { requestId: "good" }, true],
    ["Network.getResponseBody", { requestId: "bad" }, false],
    ["Network.getResponseBody", { requestId: "unseen" }, false],
    ["Network.getRequestPostData", { requestId: "bad" }, false],
    ["Fetch.getResponseBody", { requestId: "bad" }, false],
    ["Fetch.fulfillRequest", { requestId: "good", responseCode: 200 }, true],
    ["Fetch.fulfillRequest", { requestId: "bad", responseCode: 200 }, false],
    ["Fetch.continueResponse", { requestId: "bad" }, false],
    ["Fetch.continueRequest", { requestId: "bad" }, true],
    ["Fetch.continueRequest", { requestId: "bad", headers: [] }, false],
    [
      "Fetch.continueRequest",
      { requestId: "good", url: "http://evil.test/" },
      false,
    ],
    ["Fetch.continueRequest", { requestId: "good", url: ALLOWED }, true],
  ])("%s %j: %s", (method, params, expected) => {
    expect(isAllowed(judge(method, params))).toBe(expected);
  });

  test("a new tab is judged by its address", () => {
    const context = { level: "browser" } as const;
    expect(
      isAllowed(judge("Target.createTarget", { url: ALLOWED }, context)),
    ).toBe(true);
    expect(
      judge("Target.createTarget", { url: "file:///" }, context).refusal,
    ).toMatchObject({
      cause: "site",
      url: "file:///",
    });
  });

  test.each([
    ["Page.createIsolatedWorld", "grantUniveralAccess"],
    ["Page.createIsolatedWorld", "grantUniversalAccess"],
    ["Page.addScriptToEvaluateOnNewDocument", "includeCommandLineAPI"],
    ["Runtime.evaluate", "includeCommandLineAPI"],
    ["Runtime.runScript", "includeCommandLineAPI"],
    ["Fetch.enable", "handleAuthRequests"],
  ])("%s is sent without %s", (method, name) => {
    expect(judge(method, { [name]: true, other: 1 })).toMatchObject({
      refusal: null,
      params: { other: 1 },
    });
    const verdict = judge(method, { [name]: true });
    expect(verdict.refusal === null && name in verdict.params).toBe(false);
  });
});

describe("the clipboard", () => {
  test.each<[string, Record<string, unknown>]>([
    ["Input.dispatchKeyEvent", { commands: ["paste"] }],
    ["Input.dispatchKeyEvent", { commands: ["PasteAndMatchStyle"] }],
    ["Input.dispatchKeyEvent", { commands: ["selectAll", "Copy"] }],
    ["Input.dispatchKeyEvent", { commands: ["yank"] }],
    ["Input.dispatchKeyEvent", { commands: "cut" }],
    ["Input.dispatchKeyEvent", { modifiers: 2, key: "v" }],
    ["Input.dispatchKeyEvent", { modifiers: 2, code: "KeyC" }],
    ["Input.dispatchKeyEvent", { modifiers: 4, windowsVirtualKeyCode: 88 }],
    ["Input.dispatchKeyEvent", { modifiers: 10, windowsVirtualKeyCode: 86 }],
    ["Input.dispatchKeyEvent", { modifiers: 8, key: "Insert" }],
    ["Input.dispatchKeyEvent", { modifiers: 8, windowsVirtualKeyCode: 46 }],
    ["Input.dispatchKeyEvent", { modifiers: 2, nativeVirtualKeyCode: 45 }],
    ["Input.dispatchMouseEvent", { button: "middle" }],
    ["Input.dispatchMouseEvent", { button: "none", buttons: 4 }],
  ])("%s %j needs full", (method, params) => {
    expect(judge(method, params, { tier: "act" }).refusal).toMatchObject({
      cause: "tier",
      tier: "full",
    });
    expect(isAllowed(judge(method, params))).toBe(true);
  });

  test.each<[string, Record<string, unknown>]>([
    ["Input.dispatchKeyEvent", { key: "v" }],
    [
      "Input.dispatchKeyEvent",
      { modifiers: 2, key: "a", commands: ["selectAll"] },
    ],
    ["Input.dispatchKeyEvent", { modifiers: 8, key: "V" }],
    ["Input.dispatchKeyEvent", { key: "Delete" }],
    ["Input.dispatchMouseEvent", { button: "left", buttons: 1 }],
    ["Input.insertText", { text: "paste" }],
  ])("%s %j does not", (method, params) => {
    expect(isAllowed(judge(method, params, { tier: "act" }))).toBe(true);
  });
});

test("never throws, and refuses everything that no table lists", () => {
  const names = [...PAGE_METHODS.keys(), ...BROWSER_METHODS.keys()];
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...names), fc.string()),
      fc.dictionary(
        fc.oneof(
          fc.constantFrom(
            "url",
            "urls",
            "files",
            "backendNodeId",
            "commands",
            "modifiers",
            "requestId",
            "headers",
          ),
          fc.string(),
        ),
        fc.jsonValue(),
      ),
      fc.constantFrom(...TIERS),
      fc.constantFrom("page" as const, "browser" as const),
      (method, params, tier, level) => {
        const verdict = judge(method, params as Record<string, unknown>, {
          tier,
          level,
        });
        const table = level === "page" ? PAGE_METHODS : BROWSER_METHODS;
        if (!table.has(method) || tier === "none")
          expect(verdict.refusal).not.toBeNull();
      },
    ),
    { numRuns: 300 },
  );
});
