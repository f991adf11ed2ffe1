{{/*
What a pool does, comma-separated. Unless told, the GPU pool recognizes and the CPU pool does the rest. Takes a list: the
root, the pool.
*/}}
{{- define "currawong.duties" -}}
{{- $workers := (index . 0).Values.workers -}}
{{- $pool := index . 1 -}}
{{- with (get $workers $pool).duties -}}
{{ join "," . }}
{{- else -}}
{{- if eq $pool "gpu" -}}
{{ $workers.cpu.enabled | ternary "speech" "speech,audio" }}
{{- else -}}
{{ $workers.gpu.enabled | ternary "audio" "speech,audio" }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Every component that has long-lived pods, space-separated. */}}
{{- define "currawong.components" -}}
gateway webhooks jobs billing
{{- range $pool, $config := .Values.workers }}{{ if $config.enabled }} worker-{{ $pool }}{{ end }}{{ end -}}
{{- if .Values.admin.enabled }} admin{{ end -}}
{{- if .Values.evaluation.enabled }} postgres nats store{{ end -}}
{{- end -}}
