import type { Tier } from "../records/schemas.ts";

/** How a call that the tier includes is carried out. */
export type Handling =
  /** Sent to Chromium. */
  | "send"
  /** Answered by the guard from the agent's own tabs. */
  | "answer"
  /** Carried out by the guard on a tab of the agent. */
  | "own-tab";

/** A call that agents may make. */
export interface Method {
  /** The lowest tier that includes it. */
  tier: Exclude<Tier, "none">;
  handling: Handling;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Calls to a page, frame or worker. */
const PAGE = {
  read: words(`
    Accessibility.disable Accessibility.enable Accessibility.getChildAXNodes Accessibility.getFullAXTree
    Accessibility.getPartialAXTree Accessibility.getRootAXNode Accessibility.queryAXTree
    CSS.disable CSS.enable CSS.getComputedStyleForNode
    DOM.describeNode DOM.disable DOM.enable DOM.getAttributes DOM.getBoxModel DOM.getContentQuads DOM.getDocument
    DOM.getNodeForLocation DOM.getOuterHTML DOM.getSearchResults DOM.performSearch
    DOM.pushNodesByBackendIdsToFrontend DOM.querySelector DOM.querySelectorAll DOM.scrollIntoViewIfNeeded
    DOMSnapshot.captureSnapshot Inspector.enable Log.disable Log.enable
    Page.captureScreenshot Page.disable Page.enable Page.getFrameTree Page.getLayoutMetrics Page.getNavigationHistory
    Page.setLifecycleEventsEnabled Performance.disable Performance.enable Performance.getMetrics
    Runtime.runIfWaitingForDebugger`),
  act: words(`
    DOM.focus DOM.setFileInputFiles
    Emulation.clearDeviceMetricsOverride Emulation.setDeviceMetricsOverride Emulation.setEmitTouchEventsForMouse
    Emulation.setEmulatedMedia Emulation.setFocusEmulationEnabled Emulation.setLocaleOverride
    Emulation.setTimezoneOverride Emulation.setTouchEmulationEnabled
    Input.dispatchKeyEvent Input.dispatchMouseEvent Input.dispatchTouchEvent Input.insertText
    Input.synthesizeScrollGesture Network.disable Network.enable
    Page.bringToFront Page.close Page.handleJavaScriptDialog Page.navigate Page.navigateToHistoryEntry Page.printToPDF
    Page.reload Page.setInterceptFileChooserDialog Page.stopLoading`),
  full: words(`
    Audits.disable Audits.enable CSS.getMatchedStylesForNode CSS.getStyleSheetText CSS.setStyleTexts
    CSS.startRuleUsageTracking CSS.stopRuleUsageTracking
    DOM.getFrameOwner DOM.removeAttribute DOM.removeNode DOM.requestChildNodes DOM.requestNode DOM.resolveNode
    DOM.setAttributesAsText DOM.setAttributeValue DOM.setNodeValue DOM.setOuterHTML DOMDebugger.getEventListeners
    Debugger.disable Debugger.enable Debugger.getScriptSource Debugger.setSkipAllPauses
    Emulation.setCPUThrottlingRate Emulation.setDefaultBackgroundColorOverride Emulation.setGeolocationOverride
    Emulation.setScriptExecutionDisabled Emulation.setUserAgentOverride
    Fetch.continueRequest Fetch.continueResponse Fetch.disable Fetch.enable Fetch.failRequest Fetch.fulfillRequest
    Fetch.getResponseBody
    Network.deleteCookies Network.emulateNetworkConditions Network.getCookies Network.getRequestPostData
    Network.getResponseBody Network.setCacheDisabled Network.setExtraHTTPHeaders Network.setUserAgentOverride
    Overlay.disable Overlay.enable Overlay.hideHighlight Overlay.highlightNode
    Page.addScriptToEvaluateOnNewDocument Page.createIsolatedWorld Page.getAppManifest Page.getResourceContent
    Page.getResourceTree Page.removeScriptToEvaluateOnNewDocument Page.resetNavigationHistory Page.setDocumentContent
    Page.setFontFamilies
    Profiler.disable Profiler.enable Profiler.start Profiler.startPreciseCoverage Profiler.stop
    Profiler.stopPreciseCoverage Profiler.takePreciseCoverage
    Runtime.addBinding Runtime.awaitPromise Runtime.callFunctionOn Runtime.compileScript Runtime.disable
    Runtime.discardConsoleEntries Runtime.enable Runtime.evaluate Runtime.getIsolateId Runtime.getProperties
    Runtime.globalLexicalScopeNames Runtime.releaseObject Runtime.releaseObjectGroup Runtime.removeBinding
    Runtime.runScript`),
};

/** Calls that drivers make as they start; they succeed and have no effect. */
const WITHOUT_EFFECT = words(`
  Emulation.setAutomationOverride Network.setBypassServiceWorker Page.setDownloadBehavior
  Page.setPrerenderingAllowed Security.setIgnoreCertificateErrors ServiceWorker.disable ServiceWorker.enable
  WebMCP.enable`);

/** Calls to a page by name. */
export const PAGE_METHODS: ReadonlyMap<string, Method> = new Map([
  ...Object.entries(PAGE).flatMap(([tier, methods]) =>
    methods.map((method): [string, Method] => [
      method,
      { tier: tier as Method["tier"], handling: "send" },
    ]),
  ),
  ...[...WITHOUT_EFFECT, "Target.setAutoAttach"].map(
    (method): [string, Method] => [
      method,
      { tier: "read", handling: "answer" },
    ],
  ),
]);

/** Calls to the browser by name. */
export const BROWSER_METHODS: ReadonlyMap<string, Method> = new Map<
  string,
  Method
>([
  ["Browser.close", { tier: "read", handling: "answer" }],
  ["Browser.getVersion", { tier: "read", handling: "send" }],
  ["Browser.setDownloadBehavior", { tier: "act", handling: "answer" }],
  ["Target.activateTarget", { tier: "act", handling: "own-tab" }],
  ["Target.attachToTarget", { tier: "read", handling: "own-tab" }],
  ["Target.closeTarget", { tier: "act", handling: "own-tab" }],
  ["Target.createTarget", { tier: "act", handling: "own-tab" }],
  ["Target.detachFromTarget", { tier: "read", handling: "answer" }],
  ["Target.getBrowserContexts", { tier: "read", handling: "answer" }],
  ["Target.getTargetInfo", { tier: "read", handling: "answer" }],
  ["Target.getTargets", { tier: "read", handling: "answer" }],
  ["Target.setAutoAttach", { tier: "read", handling: "answer" }],
  ["Target.setDiscoverTargets", { tier: "read", handling: "answer" }],
]);

/**
 * Calls with which an agent can leave a page whose address it may not open (any more): all others to such a page are
 * refused.
 */
export const LEAVING_METHODS: ReadonlySet<string> = new Set([
  "Page.close",
  "Page.disable",
  "Page.enable",
  "Page.handleJavaScriptDialog",
  "Page.navigate",
  "Page.stopLoading",
  "Runtime.runIfWaitingForDebugger",
  "Target.setAutoAttach",
]);
