import type {
  ErrorDefinition,
  EventDescription,
  RouteDefinition,
  ServiceToken,
} from "@gantry/plugin";

/** What is known of a part of the product from its code. */
export interface Area {
  routes: readonly RouteDefinition[];
  provides: readonly ServiceToken<unknown>[];
  uses: readonly { token: ServiceToken<unknown>; must: boolean }[];
  events: readonly EventDescription[];
  errors: Readonly<Record<string, ErrorDefinition>>;
}

/** The tables of an area, in Markdown. What an area has none of is left out. */
export function renderReference(area: Area): string {
  return [
    section("Routes", ["Operation", "What it does", "Access"], routeRows(area)),
    section("Services", ["Service", "Here"], serviceRows(area)),
    section("Events", ["Event", "When"], eventRows(area)),
    section("Errors", ["Code", "Status", "Detail"], errorRows(area)),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function routeRows({ routes }: Area): string[][] {
  return [...routes]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ method, path, summary, access }) => [
      `\`${method} ${path}\``,
      summary,
      access === "session" ? "paired" : "its own credential",
    ]);
}

function serviceRows({ provides, uses }: Area): string[][] {
  return [
    ...provides.map(({ id }) => [`\`${id}\``, "provided"]),
    ...uses.map(({ token, must }) => [
      `\`${token.id}\``,
      must ? "needed" : "used if it is there",
    ]),
  ];
}

function eventRows({ events }: Area): string[][] {
  return events.map(({ type, summary }) => [`\`${type}\``, summary]);
}

function errorRows({ errors }: Area): string[][] {
  return Object.entries(errors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, detail }]) => [
      `\`${code}\``,
      String(status),
      // Doubled braces are part of the text.
      detail.replaceAll(/\{(\{\w+\})\}/g, "$1"),
    ]);
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) =>
    `| ${cells.map(escapeCell).join(" | ")} |`;
  return [
    `## ${title}`,
    "",
    line(head),
    line(head.map(() => "---")),
    ...rows.map(line),
  ].join("\n");
}

/** Text as it is, but for code between backticks: `__proto__` would become bold. */
function escapeCell(cell: string): string {
  return cell
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`") ? part : part.replace(/[\\*_<]/g, "\\$&"),
    )
    .join("")
    .replaceAll("|", "\\|");
}
