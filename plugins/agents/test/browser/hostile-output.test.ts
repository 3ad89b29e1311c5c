import { cases, isThorough } from "@gantry/build/testing";
import { expect } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { entry, ran, said } from "../ui/support/entries.ts";
import { CANARY_PICTURE, hostileStrings } from "./support/hostile-strings.ts";
import { writeTranscript } from "./support/transcript.ts";

const house = useHouse();

/** What of a page could run, fetch or lead somewhere because of a text in it. */
function inspect() {
  const links = [
    ...document.querySelectorAll<HTMLAnchorElement>("main a[target]"),
  ];
  const conversation = document.querySelector("[data-conversation]");
  return {
    ran: "__xss" in window,
    elements: [
      ...(conversation?.querySelectorAll(
        "script, iframe, object, embed, form, style, link, meta, base, video, audio, template, math, details, [srcdoc], [onerror], [onload], [onclick], [onfocus], [onmouseover]",
      ) ?? []),
    ].map((element) => element.outerHTML.slice(0, 200)),
    pictures: [...(conversation?.querySelectorAll("img") ?? [])]
      .map(({ src }) => src)
      .filter((src) => !src.startsWith("data:image/")),
    links: links
      .filter(
        ({ protocol, rel }) =>
          !["http:", "https:", "mailto:"].includes(protocol) ||
          rel !== "noopener noreferrer nofollow",
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 200)),
    count: links.length,
  };
}

/** Looks at what is drawn. Gives the number of links in it. */
async function expectHarmless(): Promise<number> {
  const { page, visitor } = house();
  const { count, ...found } = await page.evaluate(inspect);
  expect(found).toEqual({ ran: false, elements: [], pictures: [], links: [] });
  expect(visitor.stray).toEqual([]);
  expect(visitor.asked).not.toContain(CANARY_PICTURE);
  expect(visitor.faults).toEqual([]);
  return count;
}

/** Shows all of a conversation that is drawn in parts, and looks at each part. */
async function lookThrough(): Promise<number> {
  const { page } = house();
  const region = page.getByRole("region", { name: "Conversation" });
  // A tall window shows much at once.
  await page.setViewportSize({ width: 1280, height: 4_000 });
  let links = 0;
  for (let step = 0; step < 400; step += 1) {
    links += await expectHarmless();
    const isBeginning = await region.evaluate(async (box) => {
      const first = 'article[aria-posinset="1"]:not([aria-setsize="-1"])';
      if (box.scrollTop === 0 && box.querySelector(first)) return true;
      box.scrollTop -= box.clientHeight * 0.8;
      // What comes into sight is drawn with the next frame, and unfolded in the one after it.
      for (let frame = 0; frame < 2; frame += 1)
        await new Promise(requestAnimationFrame);
      return false;
    });
    if (isBeginning) return links;
  }
  throw new Error("The conversation had no beginning.");
}

browserTest(
  "nothing in an agent's texts runs, fetches or leads where it must not",
  async () => {
    const { createAgent, open, page, daemon } = house();
    const agent = await createAgent({ name: "Hostile" });
    const entries = hostileStrings.flatMap((text, index) => {
      const turn = { turnId: `trn_${index}` };
      const others = [
        said(text, turn),
        entry({ ...turn, kind: "thinking", text }),
        ran("bash", { command: text }, { ...turn, text }),
        ran(
          "edit",
          { path: text, oldText: text, newText: `${text}!` },
          { ...turn, text },
        ),
        ran(text, { [text.slice(0, 40) || "x"]: text }, { ...turn, text }),
        entry({
          ...turn,
          kind: "dialog",
          role: "system",
          text: `${text}\n${text}`,
          dialog: { id: "dlg", kind: "permission", answer: text },
        }),
        entry({ ...turn, kind: "notice", role: "system", text }),
        entry({ ...turn, kind: "error", role: "system", text }),
      ];
      // Without `test:all` each text is an answer and one other kind of entry, in turn.
      const one = others[index % others.length]!;
      return [...(isThorough ? others : [one]), entry({ ...turn, text })];
    });
    await writeTranscript(daemon.home, agent.id, entries);
    await open(agent.id);
    await page.getByRole("feed").getByRole("article").last().waitFor();
    // Everything is unfolded while it is looked at.
    await page.evaluate(() => {
      const unfold = () =>
        document
          .querySelectorAll<HTMLElement>(
            '[data-conversation] button[aria-expanded="false"]',
          )
          .forEach((button) => button.click());
      new MutationObserver(unfold).observe(document.body, {
        childList: true,
        subtree: true,
      });
      unfold();
    });
    const links = await lookThrough();
    expect(links).toBeGreaterThan(10);
  },
);

browserTest(
  "what an agent says while it is watched is harmless too, at every moment",
  { tags: "thorough" },
  async () => {
    const { createAgent, open, prompt, page } = house();
    const agent = await createAgent({ name: "Streams hostile" });
    await open(agent.id);
    const usable = hostileStrings.filter(
      (text) => !text.includes("]]") && !text.includes("\0"),
    );
    for (let start = 0; start < usable.length; start += 40) {
      const part = usable.slice(start, start + 40).join("\n\n");
      await prompt(agent.id, `[[reply:${part}]]`);
    }
    await page
      .getByRole("button", { name: "Stop" })
      .waitFor({ state: "detached" });
    await lookThrough();
  },
);

browserTest(
  "names, questions and folders are harmless",
  { tags: "thorough" },
  async () => {
    const { createAgent, read, prompt, open, page, daemon } = house();
    const names = [
      "<img src=x onerror=window.__xss=1>",
      "[x](javascript:window.__xss=1)",
    ];
    for (const name of cases(names)) {
      const agent = await createAgent({ name });
      await prompt(agent.id, `[[ask:${names[0]}]]`);
      await expect
        .poll(async () => (await read(agent.id)).activity)
        .toBe("waiting");
      await open(agent.id);
      await page.getByRole("button", { name: /^Allow/ }).waitFor();
      await expectHarmless();
      await page.goto(`${daemon.url}/agents`);
      await page.getByRole("link", { name }).first().waitFor();
      await expectHarmless();
      await page.goto(daemon.url);
      await page.getByRole("link", { name }).first().waitFor();
      await expectHarmless();
      await page.keyboard.press("Control+k");
      await page.locator('[role="dialog"] input').fill(name.slice(0, 8));
      await page.getByText(`Go to ${name}`).first().waitFor();
      await expectHarmless();
    }
  },
);
