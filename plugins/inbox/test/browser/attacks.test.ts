import { isThorough } from "@gantry/build/testing";
import { createIdentifier, NoticeRaised } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, test } from "vitest";
import { attacks, CANARY_PICTURE } from "../fixtures/attacks.ts";
import { startBrowserInbox } from "../support/browser-inbox.ts";
import { dialogOpened, runFinished } from "../support/sources.ts";

interface Anchor {
  protocol: string;
  rel: string;
}

/** Opens each item that is listed, and gives the links that lead out of all of them. */
const openAll = `(async () => {
  const links = [];
  for (const row of document.querySelectorAll("[data-item]")) {
    row.click();
    const text = \`article[data-id="\${row.dataset.item}"] .kit-block\`;
    while (!document.querySelector(text)) await new Promise(requestAnimationFrame);
    for (const { protocol, rel } of document.querySelectorAll("article a[target]"))
      links.push({ protocol, rel });
  }
  return links;
})()`;

const marker = (index: number) => `case ${index} ends`;

test.skipIf(chromiumPath === undefined)(
  "nothing that an agent says runs, leads away, or asks anyone for anything",
  async () => {
    await using inbox = await startBrowserInbox();
    const { kernel, emit } = inbox;
    expect(attacks.length).toBeGreaterThan(150);
    // One in eight as items of their own; all of them in the notice below.
    const shown = attacks.filter((_, index) => isThorough || index % 8 === 0);
    for (const [index, attack] of shown.entries()) {
      const agentName = `${index} ${attack}`;
      // As a title and as Markdown; one in six also as the question of an agent, with its options.
      await emit(
        runFinished({
          automationId: createIdentifier("aut"),
          automationName: attack,
          scheduleLabel: attack,
          message: `${attack}\n\n${marker(index)}`,
        }),
      );
      if (index % 6 === 0)
        await emit(
          dialogOpened({
            agentName,
            title: attack,
            body: attack.slice(0, 16_384),
            kind: index % 12 === 0 ? "permission" : "question",
            options: [{ id: "x", label: attack.slice(0, 300), kind: "allow" }],
            takesText: true,
          }),
        );
    }
    await kernel.kernel.foundation.core.commit(
      "kernel",
      [],
      [
        NoticeRaised.of("last", {
          title: "Last",
          body: attacks.join("\n\n"),
          severity: "info",
        }),
      ],
    );
    const all = async () =>
      (
        await kernel.api.get<{ items: { id: string; kind: string }[] }>(
          "/api/inbox?limit=500",
        )
      ).body.items;
    await expect
      .poll(async () => (await all()).length)
      .toBe(shown.length + Math.ceil(shown.length / 6) + 1);

    // Marked as read, so that opening one does not load the whole list again.
    for (const { id } of await all())
      await kernel.api.post(`/api/inbox/${id}/state`, { state: "read" });

    // On a phone the list is out of sight behind the item, which takes the browser less time than beside it.
    const { page, faults, stray, asked } = await inbox.open(
      "/inbox?view=all",
      "phone",
    );
    page.on("dialog", (dialog) => {
      stray.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const address = () => new URL(page.url()).pathname;
    const frames = () => page.frames().length;
    for (;;) {
      const more = page.getByRole("button", { name: "Show more" });
      await page.locator("[data-item]").first().waitFor();
      if (!(await more.isVisible())) break;
      const shown = await page.locator("[data-item]").count();
      await more.click();
      await expect
        .poll(() => page.locator("[data-item]").count())
        .toBeGreaterThan(shown);
    }
    const ids = await page
      .locator("[data-item]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-item")));
    expect(ids).toHaveLength((await all()).length);

    // In the page itself: the way to it and back takes longer than showing an item.
    const links: Anchor[] = await page.evaluate(openAll);
    expect(address()).toBe(`/inbox/${ids.at(-1)}`);
    expect(links.length).toBeGreaterThan(10);
    for (const { protocol, rel } of links) {
      expect(["http:", "https:", "mailto:"]).toContain(protocol);
      expect(rel).toBe("noopener noreferrer nofollow");
    }

    expect(await page.evaluate("window.__xss")).toBeUndefined();
    expect(
      await page
        .locator(
          "article :is(script, iframe, object, embed, style, link, meta, form, base, svg script)",
        )
        .count(),
    ).toBe(0);
    expect(stray).toEqual([]);
    expect(asked).not.toContain(CANARY_PICTURE);
    expect(faults).toEqual([]);
    expect(frames()).toBe(1);
  },
);
