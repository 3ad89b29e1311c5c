import { readFileSync } from "node:fs";
import { defineNuxtConfig } from "nuxt/config";
import type { ProxyOptions } from "vite";

// Where a running daemon answers while the shell is developed with `nuxt dev`.
const daemon = process.env["GANTRY_URL"] ?? "http://127.0.0.1:7420";

// In the page itself: a file would be one more request of every first visit.
const mark = readFileSync(
  new URL("app/assets/mark.svg", import.meta.url),
  "utf8",
);
const toDataUrl = (svg: string) =>
  `data:image/svg+xml,${encodeURIComponent(svg.trim())}`;

/** From the folder into which Nuxt writes the configuration of the type check. */
const UNUSED_TYPES = "../../../tooling/build/unused-types.d.ts";

export default defineNuxtConfig({
  buildId: "gantry",
  buildDir: ".nuxt",
  compatibilityDate: "2026-01-01",
  ssr: false,
  telemetry: false,
  devtools: { enabled: false },
  modules: [
    "@nuxt/ui",
    "./modules/leanRuntime.ts",
    "./modules/bundledIcons.ts",
    "./modules/sharedModules.ts",
    "./modules/colorScheme.ts",
  ],
  css: ["~/assets/main.css"],
  imports: { autoImport: true },
  components: { dirs: [{ path: "~/components", pathPrefix: false }] },

  // Everything comes from our own origin: no fonts, icons or build manifests are fetched from elsewhere.
  ui: {
    fonts: false,
    colorMode: false,
    theme: {
      colors: ["primary", "success", "warning", "error", "info"],
      transitions: true,
    },
  },
  icon: {
    provider: "none",
    fallbackToApi: false,
    serverBundle: false,
    collections: ["lucide"],
  },

  app: {
    head: {
      title: "Gantry",
      htmlAttrs: { lang: "en" },
      viewport: "width=device-width, initial-scale=1, viewport-fit=cover",
      meta: [
        { name: "description", content: "Coding agents on this machine" },
        {
          name: "theme-color",
          content: "#fbfbfc",
          media: "(prefers-color-scheme: light)",
        },
        {
          name: "theme-color",
          content: "#0e1012",
          media: "(prefers-color-scheme: dark)",
        },
      ],
      link: [
        { rel: "icon", type: "image/svg+xml", href: toDataUrl(mark) },
        // The daemon makes it from the class names of the shell and of every active plugin.
        {
          key: "utilities",
          rel: "stylesheet",
          href: "/ui/utilities.css",
          tagPriority: "low",
        },
      ],
    },
  },

  experimental: {
    // There is one import map, and it is ours: see modules/sharedModules.ts.
    entryImportMap: false,
    appManifest: false,
    checkOutdatedBuildInterval: false,
    payloadExtraction: false,
    restoreState: false,
    spaLoadingTemplateLocation: "body",
  },
  spaLoadingTemplate: true,
  routeRules: {},

  nitro: {
    // The build moves it to dist/ when it is whole.
    output: { publicDir: ".nuxt/made/public" },
    prerender: { crawlLinks: false, routes: [] },
  },
  vite: {
    build: {
      reportCompressedSize: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        treeshake: {
          // They make functions when they are loaded, which nothing here calls: the API client is the kit's.
          moduleSideEffects: [
            {
              test: /nuxt\/dist\/app\/composables\/(asyncData|fetch)\.js$/,
              sideEffects: false,
            },
          ],
        },
        output: {
          codeSplitting: {
            groups: [
              // Whatever the first page cannot do without is one file.
              { name: "main", tags: ["$initial"], priority: 10 },
              // The components that every page has and the home page, fetched while the daemon is asked who is there.
              {
                name: "basics",
                test: /groups\/atOnce|pages\/index\.vue/,
                priority: 8,
              },
              // What the other groups of components share would else be many small files.
              {
                name: "shared",
                test: /reka-ui|@floating-ui|@vueuse|aria-hidden|@nuxt\/ui/,
                minShareCount: 2,
                priority: 5,
              },
            ],
          },
        },
      },
    },
    server: {
      proxy: Object.fromEntries(
        ["/api", "/plugins", "/ui/utilities.css", "/docs", "^/pair$"].map(
          (path) => [
            path,
            {
              target: daemon,
              changeOrigin: true,
              headers: { origin: daemon },
              // The page of that name is the shell's own.
              bypass: ({ method, url }) =>
                url === "/pair" && method !== "POST" ? url : undefined,
            } satisfies ProxyOptions,
          ],
        ),
      ),
    },
  },
  typescript: {
    strict: true,
    tsConfig: {
      compilerOptions: {
        customConditions: ["gantry-source"],
        paths: {
          "@scalar/api-reference": [UNUSED_TYPES],
          "happy-dom": [UNUSED_TYPES],
          ioredis: [UNUSED_TYPES],
        },
      },
    },
  },
});
