import "vue-router";

declare module "vue-router" {
  interface RouteMeta {
    /** Id of the plugin that the page is from. */
    plugin?: string;
    /** Title until the page says its own. */
    title?: string | undefined;
    /** The page follows its parameters itself. */
    keep?: boolean;
    /** Shown without the frame. */
    bare?: boolean;
  }
}
