/* eslint-disable gantry/layers -- a browser on a built daemon is driven in one way in the whole repository */
export {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
  viewingChromiumPath,
  type Visitor,
} from "../../../../../e2e/support/browser.ts";
export { createApiClient } from "../../../../../e2e/support/api-client.ts";
export { startDaemon, type Daemon } from "../../../../../e2e/support/daemon.ts";
export { createTemporaryFolder } from "../../../../../e2e/support/temporary-folder.ts";
