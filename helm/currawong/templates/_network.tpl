{{/* Peers of a network policy: whole namespaces by name, and ranges of addresses. Takes namespaces, cidrs. */}}
{{- define "currawong.peers" -}}
{{- range .namespaces }}
- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ . }} } }
{{- end }}
{{- range .cidrs }}
- ipBlock: {{ include "currawong.ipBlock" . }}
{{- end }}
{{- end -}}

{{/*
A range without the addresses at which clouds hand their machines' credentials to whoever asks: 169.254.0.0/16, Azure's
168.63.129.16, and fd00:ec2::254, fd20:ce::254 and fe80::/10. An exception has to lie within its range, so it is named only where it does.
*/}}
{{- define "currawong.ipBlock" -}}
{{- $cidr := . -}}
{{- $except := list -}}
{{- if contains ":" $cidr -}}
{{- if hasPrefix "fd00:ec2:" $cidr }}{{ include "currawong.metadataRange" $cidr }}{{ end -}}
{{- if has $cidr (list "::/0" "f000::/4" "fc00::/7" "fd00::/8") -}}
{{- $except = list "fd00:ec2::254/128" "fd20:ce::254/128" -}}
{{- end -}}
{{- if has $cidr (list "::/0" "f000::/4") }}{{ $except = append $except "fe80::/10" }}{{ end -}}
{{- else -}}
{{- $parts := splitList "/" $cidr -}}
{{- $octets := splitList "." (index $parts 0) -}}
{{- $bits := index $parts 1 | int -}}
{{- $network := add (mul (index $octets 0 | int) 256) (index $octets 1 | int) -}}
{{- $size := 1 -}}
{{- range until (sub 16 (min $bits 16) | int) }}{{ $size = mul $size 2 }}{{ end -}}
{{- if eq (div $network $size) (div 43518 $size) -}}
{{- if ge $bits 16 }}{{ include "currawong.metadataRange" $cidr }}{{ end -}}
{{- $except = list "169.254.0.0/16" -}}
{{- if eq $bits 0 }}{{ $except = append $except "168.63.129.16/32" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $block := dict "cidr" $cidr -}}
{{- with $except }}{{ $_ := set $block "except" . }}{{ end -}}
{{- toJson $block -}}
{{- end -}}

{{- define "currawong.metadataRange" -}}
{{- fail (printf "\n\nnetworkPolicy: %s is where the cloud hands out the machine's credentials; no pod may reach it. Take it out of the cidrs." .) -}}
{{- end -}}

{{/* The ports of a rule. */}}
{{- define "currawong.ports" -}}
{{- range . }}
- { protocol: TCP, port: {{ . }} }
{{- end }}
{{- end -}}

{{/* A rule that lets out to one of the servers. Takes a list: the root, postgres|nats|store. */}}
{{- define "currawong.egress.server" -}}
{{- $ := index . 0 -}}
{{- $server := index . 1 -}}
{{- if $.Values.evaluation.enabled -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "currawong.podLabels" (list $ $server) | nindent 10 }}
  ports:
    - { protocol: TCP, port: {{ get (dict "postgres" 5432 "nats" 4222 "store" 8333) $server }} }
{{- else -}}
{{ include "currawong.egress.outside" (get $.Values.networkPolicy $server) }}
{{- end -}}
{{- end -}}

{{/* A rule that lets out to something else. Takes ports, namespaces, cidrs. */}}
{{- define "currawong.egress.outside" -}}
- to:
    {{- include "currawong.peers" . | nindent 4 }}
  ports:
    {{- include "currawong.ports" .ports | nindent 4 }}
{{- end -}}

{{/*
Rules that let out to the addresses that customers name: public ones, and what networkPolicy.customers adds. The services
judge every address themselves before they call it; this holds where they err.
*/}}
{{- define "currawong.egress.customers" -}}
{{- $customers := .Values.networkPolicy.customers -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- range list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "168.63.129.16/32" "169.254.0.0/16" "172.16.0.0/12" "192.168.0.0/16" "198.18.0.0/15" "224.0.0.0/3" }}
          - {{ . }}
          {{- end }}
    - ipBlock: { cidr: '2000::/3' }
  ports:
    {{- include "currawong.ports" $customers.ports | nindent 4 }}
{{- if or $customers.namespaces $customers.cidrs }}
{{ include "currawong.egress.outside" $customers }}
{{- end }}
{{- end -}}

{{- define "currawong.egress.dns" -}}
- to:
    {{- range .Values.networkPolicy.dns.namespaces }}
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ . }} } }
    {{- end }}
    {{- range .Values.networkPolicy.dns.cidrs }}
    - ipBlock: { cidr: {{ . }} }
    {{- end }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end -}}

{{/*
The test goes in by the front door, where there is one: a load balancer, or the pods of the controller behind it. Policies
see those by the ports that they listen on, any in the namespaces of networkPolicy.clients. Where none is named, the ports
that controllers use in place of 80 and 443.
*/}}
{{- define "currawong.egress.door" -}}
{{- if or .Values.ingress.enabled .Values.gatewayApi.enabled .Values.check.baseUrl -}}
{{- $namespaces := .Values.networkPolicy.clients.namespaces -}}
{{- $ports := $namespaces | empty | ternary (list 80 443 8080 8443 10080 10443) (list 80 443) -}}
{{ include "currawong.egress.outside" (dict "namespaces" list "cidrs" (list "0.0.0.0/0" "::/0") "ports" $ports) }}
{{- with $namespaces }}
- to:
    {{- include "currawong.peers" (dict "namespaces" . "cidrs" list) | nindent 4 }}
  ports:
    - { protocol: TCP }
{{- end }}
{{- end -}}
{{- end -}}

{{/* What every service may: names, messages, and traces where they are on. */}}
{{- define "currawong.egress.service" -}}
{{ include "currawong.egress.dns" . }}
{{ include "currawong.egress.server" (list . "nats") }}
{{- if .Values.tracing.endpoint }}
{{ include "currawong.egress.outside" .Values.networkPolicy.tracing }}
{{- end }}
{{- end -}}

{{/* Whose pods read figures from the metrics port. Takes a list: the root, whether KEDA is among them. */}}
{{- define "currawong.ingress.metrics" -}}
{{- $policy := (index . 0).Values.networkPolicy -}}
{{- with concat $policy.monitoringNamespaces (index . 1 | ternary $policy.kedaNamespaces list) }}
- from:
    {{- range . }}
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ . }} } }
    {{- end }}
  ports:
    - { protocol: TCP, port: 9090 }
{{- end }}
{{- end -}}

{{/* A policy for the pods of one component. Takes root, component, ingress and egress (YAML lists, may be empty). */}}
{{- define "currawong.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "currawong.fullname" .root }}-{{ .component }}
  labels:
    {{- include "currawong.labels" (list .root .component) | nindent 4 }}
  annotations:
    argocd.argoproj.io/sync-wave: '-2'
spec:
  podSelector:
    matchLabels:
      {{- include "currawong.podLabels" (list .root .component) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with .ingress | trim }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .egress | trim }}
  egress:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}
