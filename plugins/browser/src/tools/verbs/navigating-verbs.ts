import * as z from "zod";
import { ToolProblem } from "../tool-problem.ts";
import { defineVerb } from "./verb.ts";

const MAX_URL_LENGTH = 2048;

/** Screen sizes by name: width, height, and whether it is a touch screen. */
const SCREENS = {
  phone: [390, 844, true],
  tablet: [820, 1180, true],
  desktop: [1280, 800, false],
  wide: [1920, 1080, false],
} as const;

/** Tools of the tier `act` that change the page, the tab or the viewport. */
export const NAVIGATING_VERBS = [
  defineVerb({
    name: "browser_navigate",
    tier: "act",
    description:
      "Opens an address; or `back`, `forward`, `reload`; `tab 2` shows another tab, `close` closes this one.",
    input: z.object({ to: z.string().min(1).max(MAX_URL_LENGTH) }),
    async run(page, { to }, signal) {
      const tab = /^tab (\d{1,2})$/.exec(to)?.[1];
      if (tab !== undefined) page.showTab(Number(tab));
      else if (to === "close") await page.closeTab();
      else if (to === "reload") await page.call("Page.reload", {}, { signal });
      else if (to === "back") await page.goInHistory(-1);
      else if (to === "forward") await page.goInHistory(1);
      else return await page.navigate(to, signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_viewport",
    tier: "act",
    description: "Shows the page as on another screen.",
    input: z.object({
      screen: z.enum(["phone", "tablet", "desktop", "wide"]),
    }),
    async run(page, { screen }, signal) {
      const [width, height, mobile] = SCREENS[screen];
      await page.call("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        mobile,
        deviceScaleFactor: 1,
      });
      await page.call("Emulation.setTouchEmulationEnabled", {
        enabled: mobile,
      });
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_dialog",
    tier: "act",
    description: "Answers an open dialog of the page.",
    input: z.object({
      accept: z.boolean(),
      text: z.string().max(2000).optional(),
    }),
    async run(page, { accept, text }, signal) {
      if (!(await page.hasDialog()))
        throw new ToolProblem("The page has no open dialog.");
      await page.call("Page.handleJavaScriptDialog", {
        accept,
        ...(text !== undefined && { promptText: text }),
      });
      return await page.snapshotWhenQuiet(signal);
    },
  }),
];
