import type { Tone } from "../tone.ts";

/** A button on a toast. */
export interface ToastAction {
  label: string;
  run: () => void | Promise<void>;
  tone?: "neutral" | "failed";
}

/** A short message at the edge of the page. */
export interface ToastMessage {
  /** A message with the id of one that is shown takes its place. */
  id?: string;
  title: string;
  detail?: string;
  tone?: Tone;
  icon?: string;
  actions?: readonly ToastAction[];
  /** 5 s unless said; 0 stays until it is closed. */
  durationMs?: number;
}

/** How the shell shows toasts. */
export interface ToastPort {
  show(message: ToastMessage): string;
  hide(id: string): void;
}
