import { defineConfig } from 'vite';

// The tool serves the files of dist/ from a table, below /assets/, so names are all the page may rely on: everything relative, no public folder.
export default defineConfig({
  base: './',
  publicDir: false,
  build: { outDir: 'dist', assetsDir: 'assets', target: 'es2022', sourcemap: false, chunkSizeWarningLimit: 1500, assetsInlineLimit: 8192 },
});
