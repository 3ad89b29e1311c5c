import type { PluginUi } from "@gantry/ui-kit";
import type { PluginInfo } from "./wire.ts";

/** Paths of the app that are not for a plugin of the same name. */
const reserved = new Set([
  "api",
  "dashboard",
  "docs",
  "pair",
  "plugins",
  "settings",
  "shared",
  "ui",
]);

/**
 * Imports a plugin's UI and its style sheet. Rejects with a sentence that says what is wrong with it. Has no timeout: an
 * import cannot be cancelled, and on a busy machine it may take long.
 *
 * @param attempt Grows with each retry: a browser remembers a module that failed under the same address.
 */
export async function loadPluginUi(
  info: PluginInfo,
  attempt: number,
): Promise<PluginUi> {
  if (!info.ui) throw new Error("It has no UI.");
  if (reserved.has(info.id)) {
    throw new Error(
      `Its id "${info.id}" is a path that the app itself uses, so its pages have no place.`,
    );
  }
  const entry =
    attempt === 0 ? info.ui.entry : `${info.ui.entry}&attempt=${attempt}`;
  const [module] = await Promise.all([
    import(/* @vite-ignore */ entry) as Promise<{ default?: unknown }>,
    info.ui.css ? addStyles(info.id, info.ui.css) : undefined,
  ]);
  if (!isPluginUi(module.default)) {
    throw new Error(
      "The default export of its UI entry is not what `definePluginUi` gives.",
    );
  }
  return module.default;
}

/** Takes a plugin's style sheet away. */
export function removeStyles(plugin: string): void {
  for (const link of document.head.querySelectorAll(
    `link[data-plugin="${CSS.escape(plugin)}"]`,
  ))
    link.remove();
}

/** Says in a sentence why a bundle did not load. */
export function describeFailure(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (
    /does not provide an export|import not found|binding name/i.test(message)
  ) {
    return `It was made for another version of Gantry's UI: ${message}`;
  }
  if (
    /failed to fetch dynamically|error loading dynamically|importing a module script failed/i.test(
      message,
    )
  ) {
    return "Its UI file could not be fetched, or one that it imports.";
  }
  return message || "Its UI file threw without a message.";
}

function addStyles(plugin: string, href: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.dataset["plugin"] = plugin;
    // Pages without their styles are better than no pages.
    link.onload = link.onerror = () => {
      for (const other of document.head.querySelectorAll(
        `link[data-plugin="${CSS.escape(plugin)}"]`,
      )) {
        if (other !== link) other.remove();
      }
      resolve();
    };
    document.head.append(link);
  });
}

function isPluginUi(value: unknown): value is PluginUi {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { kind?: unknown }).kind === "plugin-ui"
  );
}
