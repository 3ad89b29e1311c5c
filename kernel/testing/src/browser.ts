export {
  chromiumPath,
  launchBrowser,
  viewingChromiumPath,
} from "./browser/chromium.ts";
export { startBrowserStage } from "./browser/browser-stage.ts";
export type {
  BrowserStage,
  BrowserStageOptions,
  ScreenName,
  Visitor,
} from "./browser/browser-stage.ts";
export { extendUndo } from "./browser/extend-undo.ts";
export { watchPage } from "./browser/watch-page.ts";
export type { PageWatch } from "./browser/watch-page.ts";
