import type { House } from "./house.ts";

/** The parts of an agent's page that tests of its conversation use. */
export function useConversationPage(house: () => House) {
  const composer = () =>
    house().page.getByRole("textbox", { name: /^Message to / });
  const feed = () => house().page.getByRole("feed");
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
