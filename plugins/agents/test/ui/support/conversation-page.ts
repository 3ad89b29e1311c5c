import type { BrowserStage } from "./browser-stage.ts";

/** The parts of an agent's page that tests of its conversation use. */
export function useConversationPage(stage: () => BrowserStage) {
  const composer = () =>
    stage().page.getByRole("textbox", { name: /^Message to / });
  const feed = () => stage().page.getByRole("feed");
  return {
    composer,
    feed,
    /** Writes a message and sends it. */
    async say(text: string): Promise<void> {
      await composer().fill(text);
      await composer().press("Enter");
    },
  };
}
