// Types only: they must match the server's, and its schemas stay out of the bundle.
export type { Question } from "../src/tools/question.ts";
export type { AnnotationDraft, Box } from "../src/annotate/draft.ts";
export type { BrowserStatus } from "../src/chromium/status.ts";
export type { Visit } from "../src/records/schemas.ts";
export type { PageDialog, Tab } from "../src/view/tab.ts";

/** The response of a listing. */
export interface ListOf<Item> {
  items: Item[];
}

/** The fields of an agent that the pages use. */
export interface Agent {
  id: string;
  name: string;
  state: "open" | "closed";
}

/** A dev server that an agent runs. */
export interface DevServer {
  port: number;
  program: string | null;
  url: string;
}
