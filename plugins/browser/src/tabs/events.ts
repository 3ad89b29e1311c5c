import { defineEvent } from "@gantry/plugin";

/** Tabs were opened or closed, or show another page; the subject is the id of their profile. */
export const TabsChanged = defineEvent<Record<string, never>>(
  "browser.tabs-changed",
  "Tabs were opened or closed, or show another page.",
);
