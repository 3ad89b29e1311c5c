import type { AgentPage } from "./agent-page.ts";
import type { AxNode } from "./snapshot.ts";
import { ToolProblem } from "./tool-problem.ts";

const MAX_OPTIONS = 2000;
const MAX_NAMED = 30;
/** The accessibility tree of a busy page is updated after its elements. */
const MAX_CHOICE_MS = 3000;

/**
 * Selects an option of a native drop-down list with the keys that a user would press, and verifies the selection.
 *
 * @throws ToolProblem if there is no such option, or the page did not accept it
 */
export async function chooseOption(
  page: AgentPage,
  ref: string,
  label: string,
  signal: AbortSignal,
): Promise<void> {
  const options = await readOptions(page, ref);
  const wanted = options.findIndex((option) => option.label === label.trim());
  if (wanted === -1)
    throw new ToolProblem(
      options.length === 0
        ? `${ref} is no drop-down list; click it and its options instead.`
        : `There is no option with this label. There are:\n${page.fence(
            options
              .slice(0, MAX_NAMED)
              .map((option) => option.label)
              .join("\n"),
          )}`,
    );
  const usable = options.filter((option) => !option.isDisabled);
  const steps = usable.findIndex((option) => option.label === label.trim());
  if (steps === -1) throw new ToolProblem("This option is disabled.");
  await page.callOn(ref, "DOM.focus");
  await page.input.press("Home", signal);
  for (let step = 0; step < steps; step += 1)
    await page.input.press("ArrowDown", signal);
  const isChosen = await page.waitFor(
    async () => (await readOptions(page, ref))[wanted]?.isSelected === true,
    MAX_CHOICE_MS,
    signal,
  );
  if (!isChosen)
    throw new ToolProblem(
      "The list did not take that option; click it and press ArrowDown and Enter.",
    );
}

interface ListOption {
  label: string;
  isDisabled: boolean;
  isSelected: boolean;
}

async function readOptions(
  page: AgentPage,
  ref: string,
): Promise<ListOption[]> {
  const { nodes } = await page.callOn<{ nodes: AxNode[] }>(
    ref,
    "Accessibility.queryAXTree",
    { role: "option" },
  );
  return nodes.slice(0, MAX_OPTIONS).map(({ name, properties = [] }) => {
    const has = (flag: string) =>
      properties.some((one) => one.name === flag && one.value.value === true);
    return {
      label: typeof name?.value === "string" ? name.value.trim() : "",
      isDisabled: has("disabled"),
      isSelected: has("selected"),
    };
  });
}
