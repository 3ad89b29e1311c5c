import "./globalComponents.ts";

export { api } from "./api/api.ts";
export type { Query, RequestOptions } from "./api/api.ts";
export { ApiError, isAbort, toApiError } from "./api/apiError.ts";
export type { ApiProblem, InputIssue } from "./api/apiError.ts";
export { copyText } from "./browser/copyText.ts";
export { createKey } from "./browser/createKey.ts";
export { default as CodeBlock } from "./components/CodeBlock.vue";
export { default as ComposerOptions } from "./components/ComposerOptions.vue";
export { default as ConfirmDialog } from "./components/ConfirmDialog.vue";
export { default as CopyButton } from "./components/CopyButton.vue";
export { default as EmptyState } from "./components/EmptyState.vue";
export { default as ErrorBoundary } from "./components/ErrorBoundary.vue";
export { default as ErrorState } from "./components/ErrorState.vue";
export { default as FactList } from "./components/FactList.vue";
export { default as FormField } from "./components/FormField.vue";
export { default as FormProblem } from "./components/FormProblem.vue";
export { default as GaugeChart } from "./components/GaugeChart.vue";
export { default as KeyHint } from "./components/KeyHint.vue";
export { default as LabelChart } from "./components/LabelChart.vue";
export { default as LoadingState } from "./components/LoadingState.vue";
export { default as LocalTime } from "./components/LocalTime.vue";
export { default as MarkdownView } from "./components/MarkdownView.vue";
export { default as PageShell } from "./components/PageShell.vue";
export { default as ResourceView } from "./components/ResourceView.vue";
export { default as RowItem } from "./components/RowItem.vue";
export { default as RowList } from "./components/RowList.vue";
export { default as SandboxedPage } from "./components/SandboxedPage.vue";
export { default as SecretReveal } from "./components/SecretReveal.vue";
export { default as SectionCard } from "./components/SectionCard.vue";
export { default as SlotOutlet } from "./components/SlotOutlet.vue";
export { default as StatusBadge } from "./components/StatusBadge.vue";
export { default as TimeChart } from "./components/TimeChart.vue";
export type {
  ChartColour,
  ChartSeries,
  ChartUnknown,
  GaugeChartProps,
  LabelChartProps,
  TimeChartProps,
} from "./charts/chart.ts";
export { shareComposable } from "./composables/shareComposable.ts";
export { useConfirm } from "./composables/useConfirm.ts";
export type { ConfirmQuestion } from "./composables/confirmRequest.ts";
export { useLeaveGuard } from "./composables/useLeaveGuard.ts";
export { useSubmit } from "./composables/useSubmit.ts";
export type { FormState, Submit } from "./composables/useSubmit.ts";
export { useTheme } from "./composables/useTheme.ts";
export type { Theme } from "./composables/useTheme.ts";
export type { ColorModePreference } from "./composables/colorModePort.ts";
export { useToast } from "./composables/useToast.ts";
export type { Toasts } from "./composables/useToast.ts";
export type { ToastAction, ToastMessage } from "./composables/toastPort.ts";
export { useLookUp } from "./data/useLookUp.ts";
export type { LookUp } from "./data/useLookUp.ts";
export { usePages } from "./data/usePages.ts";
export type { ListAnswer, Pages, PagesOptions } from "./data/usePages.ts";
export { useResource } from "./data/useResource.ts";
export type { Resource, ResourceOptions } from "./data/useResource.ts";
export type { RefreshOptions } from "./data/refreshOn.ts";
export type { GantryEvent } from "./events/eventHub.ts";
export type { StreamState } from "./events/openStream.ts";
export { useEvents } from "./events/useEvents.ts";
export { useEventStream } from "./events/useEventStream.ts";
export type {
  EventStream,
  EventStreamHandlers,
} from "./events/useEventStream.ts";
export { loadMarkdown } from "./markdown/LazyMarkdownBody.ts";
export { provideCodeRunner } from "./markdown/codeRunner.ts";
export type { CodeRunner } from "./markdown/codeRunner.ts";
export { formatChange } from "./format/formatChange.ts";
export { formatPreview } from "./format/formatPreview.ts";
export {
  formatBytes,
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatTokens,
} from "./format/formatQuantity.ts";
export {
  formatClock,
  formatDateTime,
  formatExact,
  formatRelative,
} from "./format/formatTime.ts";
export type { Moment } from "./format/formatTime.ts";
export { useMediaQuery } from "./composables/useMediaQuery.ts";
export { addIcons } from "./icons.ts";
export type { IconCollection } from "./icons.ts";
export { definePluginUi } from "./plugin/definePluginUi.ts";
export type {
  CommandContext,
  CommandDefinition,
  FirstStep,
  NavigationBadge,
  NavigationChild,
  NavigationDefinition,
  PageDefinition,
  PaletteItem,
  PluginUi,
  PluginUiDefinition,
} from "./plugin/pluginUi.ts";
export type { ComponentSource } from "./plugin/componentSource.ts";
export type {
  ComposerMenu,
  DashboardRange,
  ComposerOption,
  ForeignSlotContribution,
  SlotContexts,
  SlotContribution,
  SlotContributions,
  SlotName,
  SlotOptions,
} from "./plugin/slots.ts";
export { promisedComponents } from "./promisedComponents.ts";
export { defineShortcuts } from "./shortcuts/defineShortcuts.ts";
export type { Shortcut } from "./shortcuts/shortcutRegistry.ts";
export { provenTimeZone, readTimeZone } from "./time/readTimeZone.ts";
export { useNow } from "./time/useNow.ts";
export { useSettled } from "./time/useSettled.ts";
export type { Tone } from "./tone.ts";
export { kitVersion } from "./version.ts";
