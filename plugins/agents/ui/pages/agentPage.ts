import { loadMarkdown } from "@gantry/ui-kit";

/** Fetches the page of an agent. */
export const loadAgentPage = () => import("./AgentPage.vue");

/**
 * Fetches it while the browser has nothing else to do, with what its conversation is drawn by, so that it opens without a
 * wait. Never rejects: what failed is shown when the page is opened.
 */
export function preloadAgentPage(): void {
  // Safari has no such time.
  const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
  whenIdle(() => {
    void Promise.allSettled([loadAgentPage(), loadMarkdown()]);
  });
}
