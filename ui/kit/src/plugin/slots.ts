import type { Component } from "vue";
import type { ComponentSource } from "./componentSource.ts";

/** A list that opens over the text for an agent while the user writes. The text keeps the focus. */
export interface ComposerMenu {
  /** Id of the element that is the list. */
  readonly id: string;
  /** Id of the line that Enter would take. */
  active(): string | undefined;
  /** Sees each key before the composer does. Tells whether it was meant for the list. */
  onKey(event: KeyboardEvent): boolean;
}

/** A line of `ComposerOptions`. */
export interface ComposerOption {
  key: string;
  title: string;
  detail?: string;
  /** At the end of the line, small. */
  hint?: string;
}

/** The time that the dashboard shows. All of it is by the reader's clock, in `timeZone`. */
export interface DashboardRange {
  /** First and last day, both included: `2026-03-01`. */
  from: string;
  to: string;
  /** As many days before them, to compare with. */
  before: { from: string; to: string };
  timeZone: string;
  /** What a chart has a column for: hours (`2026-03-01T14`) of one day or two, else days. */
  by: "hour" | "day";
  /** These hours or days, the oldest first. */
  times: readonly string[];
}

/** What each place of the app hands to the components in it, as props. */
export interface SlotContexts {
  /** The home page. */
  dashboard: Record<never, never>;
  /** The dashboard: a card that shows how something went over time. */
  "dashboard.charts": { range: DashboardRange };
  /** Among the facts about an agent. */
  "agent.sidebar": { agentId: string };
  /** The part "Preview" beside an agent's conversation. */
  "agent.preview": { agentId: string };
  /** The part "Terminal" beside an agent's conversation. `folder` is where the agent works, as an absolute path. */
  "agent.terminal": { agentId: string; folder: string };
  /** Under an agent's conversation, for what the agent waits for. Empty most of the time. */
  "agent.questions": { agentId: string };
  /** The row of buttons under the text that is about to be sent to an agent. */
  "composer.actions": { agentId: string; insertText: (text: string) => void };
  /** Over the text that is about to be sent to an agent, for what helps while it is written. */
  "composer.menu": {
    agentId: string;
    /** What is written. */
    text: string;
    /** Where the cursor is in it. */
    cursor: number;
    /** Puts a text in the place of a part of what is written, and the cursor behind it. */
    replaceText: (from: number, to: number, text: string) => Promise<void>;
    /** Sends what is written with the pictures beside it, as the button does. Tells whether it went on its way. */
    send: () => boolean;
    /** Gives the keys to a list, until the function that it returns is called. */
    openMenu: (menu: ComposerMenu) => () => void;
  };
  /** Beside a text that was selected in an agent's conversation. */
  "conversation.selection": { agentId: string; text: string };
  /** The row of buttons over a terminal whose program runs. */
  "terminal.actions": {
    terminalId: string;
    /** How the user calls it. */
    name: string;
    /** A shell takes commands, the screen of an agent CLI takes prompts. */
    kind: "shell" | "cli";
  };
  /** Under the results of the command palette. */
  palette: { query: string; close: () => void };
  /** A page of its own in the settings. */
  settings: Record<never, never>;
}

/** What a contribution to a place must say beside its component. */
export interface SlotOptions {
  /** `full` takes the whole width, `half` shares a row where there is room for two. `half` unless said. */
  dashboard: { width?: "half" | "full" };
  /** As on the home page. */
  "dashboard.charts": { width?: "half" | "full" };
  "agent.sidebar": Record<never, never>;
  "agent.preview": Record<never, never>;
  "agent.terminal": Record<never, never>;
  "agent.questions": Record<never, never>;
  "composer.actions": Record<never, never>;
  "composer.menu": Record<never, never>;
  "conversation.selection": Record<never, never>;
  "terminal.actions": Record<never, never>;
  palette: Record<never, never>;
  /** How the settings list it. */
  settings: { title: string; icon: string };
}

/** The places that the app itself has. A plugin may open further ones of its own, named `area.place`. */
export type SlotName = keyof SlotContexts;

/** A component for a place. */
export type SlotContribution<Name extends SlotName> = SlotOptions[Name] & {
  component: ComponentSource;
  /** Small numbers come first; 100 unless said. */
  order?: number;
};

/** A component for a place that another plugin opened. */
export interface ForeignSlotContribution {
  component: ComponentSource;
  order?: number;
  /** For a place with columns, such as `dashboard.charts`. */
  width?: "half" | "full";
}

/** Components by place. */
export type SlotContributions = {
  readonly [Name in SlotName]?: readonly SlotContribution<Name>[];
} & {
  readonly [name: `${string}.${string}`]:
    readonly ForeignSlotContribution[] | undefined;
};

/** A contribution together with the plugin that made it. */
export interface SlotEntry {
  /** The plugin's id and the position in its list. */
  readonly key: string;
  readonly plugin: string;
  readonly component: Component;
  readonly order: number;
  readonly title?: string;
  readonly icon?: string;
  readonly width?: "half" | "full";
}
