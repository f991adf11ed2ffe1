import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Served by the gateway under /dashboard/, with a policy that allows nothing inline and nothing from elsewhere. */
export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // For work on the pages alone: everything else is answered by the platform that `npm start` has started.
  server: { proxy: { '/api': process.env['CURRAWONG_URL'] ?? 'http://localhost:8080' } },
});
