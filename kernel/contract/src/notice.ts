import { defineEvent } from "./event.ts";

/** Something that the user should know and that no answer could tell: a record in quarantine, a plugin that failed. */
export interface Notice {
  /** A few words of plain text. */
  title: string;
  /** Markdown. What happened, and the way out. */
  body: string;
  /** `error` if something does not work until the user acts. */
  severity: "info" | "warning" | "error";
}

/** Emitted by the kernel when there is something to tell. The Inbox shows it. */
export const NoticeRaised = defineEvent<Notice>(
  "kernel.notice-raised",
  "The kernel has something to tell the user.",
);
