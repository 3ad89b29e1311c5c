// Types only: what the server sends can then not be something else here, and its schemas stay out of the bundle.
import type { Snippet } from "../src/contract.ts";
export type {
  Snippet,
  SnippetConfirmation as Confirmation,
  SnippetContext as Context,
  SnippetExpansion as Expansion,
  SnippetKind as Kind,
  SnippetPlaceholder as Placeholder,
  SnippetSending as Sending,
  SnippetStarter as Starter,
  SnippetTarget as Target,
} from "../src/contract.ts";

/** What a listing says of a snippet. */
export type ListedSnippet = Snippet;

/** The answer of the check of a slug. */
export interface SlugCheck {
  slug: string;
  available: boolean;
  clash: { id: string; title: string } | null;
  target: "composer" | "terminal";
}

/** What is needed of an agent to send it something. */
export interface Agent {
  id: string;
  name: string;
  state: "open" | "closed";
}

/** What is needed of a terminal to send it something. */
export interface Terminal {
  id: string;
  name: string;
  kind: "shell" | "cli";
  cwd: string;
  state: "running" | "exited";
}
