import {
  computed,
  inject,
  provide,
  shallowRef,
  watch,
  type ComputedRef,
  type InjectionKey,
  type Ref,
} from "vue";
import { useRoute, useRouter, type LocationQueryRaw } from "vue-router";
import { toPane, type PaneId } from "./panes.ts";
import { useWorkspaceLayout, type WorkspaceLayout } from "./workspaceLayout.ts";

/** Which parts of an agent's workspace are shown. */
export interface Workspace {
  readonly agentId: string;
  readonly layout: WorkspaceLayout;
  /** Whether there is room for a part beside the conversation. */
  readonly isWide: ComputedRef<boolean>;
  /** The part that is shown: beside the conversation, or in its place where there is no room. */
  readonly pane: ComputedRef<PaneId | undefined>;
  /** The part holds words that are lost if another one is shown. */
  readonly isUnsaved: Ref<boolean>;
  /** A value of the address, such as the path of a file. */
  read(name: string): string | undefined;
  /** Shows a part, as the user wishes. */
  show(pane: PaneId, query?: LocationQueryRaw): void;
  /** Shows what the agent does, without a step in the browser's history. */
  follow(pane: PaneId, query?: LocationQueryRaw): void;
  /** Shows the conversation alone, unless the user stays because something is not saved. */
  close(): Promise<void>;
}

/** Least width for two parts side by side, in CSS pixels. */
const wideFrom = 760;

const workspaceKey: InjectionKey<Workspace> = Symbol("gantry-agents-workspace");

/**
 * Makes it for the page of an agent and gives it to what is shown on it. The address says what is shown; where it names no
 * part, the layout that was kept does.
 */
export function provideWorkspace(
  agentId: string,
  width: Readonly<Ref<number>>,
): Workspace {
  const route = useRoute();
  const router = useRouter();
  const layout = useWorkspaceLayout(agentId);
  const isWide = computed(() => width.value >= wideFrom);
  const named = computed(() => toPane(route.params["pane"]));
  watch(
    named,
    (pane) => {
      if (pane) Object.assign(layout, { pane, isOpen: true });
    },
    { immediate: true },
  );
  const home = `/agents/${agentId}`;
  const workspace: Workspace = {
    agentId,
    layout,
    isWide,
    pane: computed(
      () =>
        named.value ??
        (isWide.value && layout.isOpen ? layout.pane : undefined),
    ),
    isUnsaved: shallowRef(false),
    read(name) {
      const value = route.query[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    show: (pane, query = {}) =>
      void router.push({ path: `${home}/${pane}`, query }),
    follow: (pane, query = {}) =>
      void router.replace({ path: `${home}/${pane}`, query }),
    async close() {
      // What it resolves with says why the part was not left.
      if (named.value && (await router.push(home))) return;
      layout.isOpen = false;
    },
  };
  provide(workspaceKey, workspace);
  return workspace;
}

/** Takes it in a part of the page. */
export function injectWorkspace(): Workspace {
  const workspace = inject(workspaceKey);
  if (!workspace) throw new Error("Parts are shown on an agent's page.");
  return workspace;
}
