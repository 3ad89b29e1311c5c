import { defineEvent } from "./event.ts";

/** Information for the user outside of any request, such as a quarantined record or a failed plugin. */
export interface Notice {
  title: string;
  /** Markdown: what happened, and what to do. */
  body: string;
  severity: "info" | "warning" | "error";
}

/** Emitted by the kernel to notify the user. The inbox shows it. */
export const NoticeRaised = defineEvent<Notice>(
  "kernel.notice-raised",
  "The kernel has something to tell the user.",
);
